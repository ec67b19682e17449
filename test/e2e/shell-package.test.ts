import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { listPackage } from '@electron/asar';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * Packages the application as electron-builder.yml says, around a stand-in for Electron's own files, because only
 * those need a download: everything that is ours in the package is the real thing.
 */

const root = path.resolve(import.meta.dirname, '../..');
const version = JSON.parse(
  readFileSync(path.join(root, 'node_modules/electron/package.json'), 'utf8'),
).version;
/** A fuse in the wire is the character "0" or "1". */
const CLOSED = '0'.charCodeAt(0);
const OPEN = '1'.charCodeAt(0);

let folder: string;
let packaged: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'strata-package-'));
  const distribution = standInDistribution(path.join(folder, 'electron'));
  const args = [
    path.join(root, 'node_modules/electron-builder/cli.js'),
    ...['--linux', '--dir', '--publish', 'never'],
    `-c.electronDist=${distribution}`,
    `-c.directories.output=${path.join(folder, 'out')}`,
  ];
  await promisify(execFile)(process.execPath, args, { cwd: root });
  packaged = path.join(folder, 'out', 'linux-unpacked');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files electron-builder asks for, and a program with a fuse wire: marker, version 1, twelve fuses, all "0". */
function standInDistribution(at: string): string {
  mkdirSync(path.join(at, 'locales'), { recursive: true });
  mkdirSync(path.join(at, 'resources'));
  const empty = [
    'LICENSE',
    'LICENSES.chromium.html',
    'chrome-sandbox',
    'resources.pak',
    'chrome_100_percent.pak',
  ];
  for (const name of [...empty, 'locales/en-US.pak']) writeFileSync(path.join(at, name), '');
  writeFileSync(path.join(at, 'version'), version);
  const wire = Buffer.from(`dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX\x01\x0c${'0'.repeat(12)}`, 'latin1');
  writeFileSync(path.join(at, 'electron'), Buffer.concat([Buffer.from('stand-in\n'), wire]));
  chmodSync(path.join(at, 'electron'), 0o755);
  return at;
}

describe('the packaged application', () => {
  it('carries the bundles, the pages and no node_modules in its archive', () => {
    const listed = listPackage(path.join(packaged, 'resources', 'app.asar'), { isPack: false });
    const files = listed.map((name) => name.replaceAll('\\', '/').slice(1));
    for (const name of [
      'package.json',
      'dist/shell/main.cjs',
      'dist/shell/preload.cjs',
      'dist/engine/utility.cjs',
      'dist/renderer/index.html',
    ]) {
      expect(files).toContain(name);
    }
    const strangers = files.filter(
      (name) => !/^(package\.json$|dist($|\/(shell|engine|renderer)))/.test(name),
    );
    expect(strangers).toEqual([]);
  });

  it('carries the addon and the samples beside the archive, where they can be mapped', () => {
    const resources = path.join(packaged, 'resources');
    const addon = readFileSync(path.join(resources, 'native', 'strata.node'));
    expect(addon.equals(readFileSync(path.join(root, 'native/build/Release/strata.node')))).toBe(true);
    const samples = readdirSync(path.join(root, 'app/samples')).filter((name) => name.endsWith('.pickle.gz'));
    expect(readdirSync(path.join(resources, 'samples')).sort()).toEqual(samples.sort());
  });

  it('carries its licence', () => {
    expect(readFileSync(path.join(packaged, 'LICENSE'), 'utf8')).toContain('MIT License');
    expect(existsSync(path.join(packaged, 'LICENSE.electron.txt'))).toBe(true);
  });

  it('closes every fuse that would let a command line turn it into something else', async () => {
    const wire = await getCurrentFuseWire(path.join(packaged, 'strata'));
    const closed = [
      FuseV1Options.RunAsNode,
      FuseV1Options.EnableNodeOptionsEnvironmentVariable,
      FuseV1Options.EnableNodeCliInspectArguments,
      FuseV1Options.GrantFileProtocolExtraPrivileges,
    ];
    for (const fuse of closed) expect(wire[fuse], FuseV1Options[fuse]).toBe(CLOSED);
    const open = [
      FuseV1Options.EnableCookieEncryption,
      FuseV1Options.EnableEmbeddedAsarIntegrityValidation,
      FuseV1Options.OnlyLoadAppFromAsar,
    ];
    for (const fuse of open) expect(wire[fuse], FuseV1Options[fuse]).toBe(OPEN);
  });
});
