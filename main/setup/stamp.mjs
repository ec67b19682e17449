import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { at, root } from './paths.mjs';

/**
 * Something that is built from files and is stale when their contents change. Contents and not times decide, so a
 * fresh checkout or a switched branch builds no more than it must.
 *
 * @typedef {object} Target
 * @property {string} name the stamp's file name
 * @property {readonly string[]} inputs files and folders below the repository
 * @property {RegExp} [only] which files of those folders count
 * @property {readonly string[]} outputs full paths that must exist
 */

/** @param {Target} target */
export function isStale(target) {
  if (!target.outputs.every((path) => existsSync(path))) return true;
  const stamp = stampPath(target);
  return !existsSync(stamp) || readFileSync(stamp, 'utf8') !== fingerprint(target);
}

/**
 * Builds a target and stamps it with the inputs as they were when the build began.
 *
 * @param {Target} target
 * @param {() => Promise<void>} build
 */
export async function stamped(target, build) {
  const before = fingerprint(target);
  await build();
  const stamp = stampPath(target);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, before);
}

const stampPath = (target) => at('dist', '.stamps', target.name);

function fingerprint({ inputs, only = /./ }) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const input of inputs) {
    for (const path of filesBelow(input)) {
      if (!only.test(path)) continue;
      const contents = readFileSync(join(root, path));
      hash.update(`${path} ${contents.length}\n`).update(contents);
    }
  }
  return hash.digest('hex');
}

/**
 * Every file below a path, sorted, as paths below the repository; build folders are left out.
 *
 * @param {string} path
 * @returns {string[]}
 */
export function filesBelow(path) {
  const full = join(root, path);
  if (!existsSync(full)) return [];
  if (statSync(full).isFile()) return [path];
  return readdirSync(full, { withFileTypes: true })
    .filter(
      (entry) => entry.isFile() || (entry.isDirectory() && !['build', 'node_modules'].includes(entry.name)),
    )
    .map((entry) => entry.name)
    .sort()
    .flatMap((name) => filesBelow(`${path}/${name}`));
}
