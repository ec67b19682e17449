import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { at, built } from './paths.mjs';
import { Problem } from './problem.mjs';
import { find, inParallel, run } from './program.mjs';
import { filesBelow } from './stamp.mjs';

/** The addon, the same binary for Node and Electron (Node-API version 8). */
export const addonTarget = {
  name: 'addon',
  inputs: ['native', 'main/setup/addon.mjs', 'package-lock.json'],
  only: /\.(cc|h|mjs|json)$/,
  outputs: [built.addon],
};

const folders = ['trace', 'capture', 'allocator', 'analysis', 'device', 'binding'];
const isMac = process.platform === 'darwin';
const compileFlags = [
  '-std=c++20',
  '-O3',
  '-DNDEBUG',
  '-fPIC',
  '-fvisibility=hidden',
  '-pthread',
  '-DNAPI_VERSION=8',
  '-DNODE_ADDON_API_CPP_EXCEPTIONS',
  // Electron refuses array buffers over foreign memory; this makes using one a compile error.
  '-DNODE_API_NO_EXTERNAL_BUFFERS_ALLOWED',
];
/** Node-API symbols are left open: the process that loads the addon has them. */
const linkFlags = isMac ? ['-bundle', '-undefined', 'dynamic_lookup'] : ['-shared', '-pthread', '-ldl'];

/** @returns {string[]} the addon's C++ files, as paths below the repository */
export const addonSources = () =>
  folders.flatMap((folder) => filesBelow(`native/${folder}`)).filter((path) => path.endsWith('.cc'));

/** Compiles what changed and links native/build/Release/strata.node. */
export async function buildAddon() {
  if (process.platform === 'win32') return buildWithCmake();
  const compiler = await findCompiler();
  const includes = nodeIncludes();
  const objects = addonSources().map((source) => new ObjectFile(source, compiler, includes));
  const stale = objects.filter((object) => object.isStale());
  await inParallel(stale, availableParallelism(), (object) => object.compile());
  await link(
    compiler,
    objects.map((object) => object.path),
  );
}

/** One compiled file; stale when the compiler, its arguments or any header it read has changed. */
class ObjectFile {
  #source;
  #command;

  constructor(source, compiler, includes) {
    this.#source = source;
    this.path = at('native', 'build', 'Release', 'objects', `${source.replaceAll('/', '-')}.o`);
    this.#command = [compiler, ...compileFlags, `-I${at('native')}`, ...includes];
  }

  isStale() {
    const key = `${this.path}.key`;
    return !existsSync(this.path) || !existsSync(key) || readFileSync(key, 'utf8') !== this.#key();
  }

  async compile() {
    mkdirSync(dirname(this.path), { recursive: true });
    const [compiler, ...flags] = this.#command;
    const args = [...flags, '-MMD', '-MF', `${this.path}.d`, '-c', at(this.#source), '-o', this.path];
    rmSync(this.path, { force: true });
    const { code, output } = await run(compiler, args);
    if (code !== 0) throw new Problem(`${this.#source} does not compile:`, output);
    writeFileSync(`${this.path}.key`, this.#key());
  }

  #key() {
    const hash = createHash('sha256').update(this.#command.join('\n'));
    for (const path of this.#filesRead()) hash.update(existsSync(path) ? readFileSync(path) : 'missing');
    return hash.digest('hex');
  }

  /** The source and its own headers, from the rule the compiler wrote ("object: file file \ file"). */
  #filesRead() {
    const rule = `${this.path}.d`;
    if (!existsSync(rule)) return [];
    const text = readFileSync(rule, 'utf8').replaceAll('\\\n', ' ');
    return text
      .slice(text.indexOf(': ') + 2)
      .split(/(?<!\\)\s+/)
      .filter((path) => path !== '')
      .map((path) => path.replaceAll('\\ ', ' '));
  }
}

/** -isystem, so that the packages' headers give no warnings and stay out of the list of headers read. */
function nodeIncludes() {
  const require = createRequire(at('package.json'));
  return ['node-api-headers', 'node-addon-api'].flatMap((name) => {
    const manifest = require.resolve(`${name}/package.json`);
    const version = JSON.parse(readFileSync(manifest, 'utf8')).version.replace(/\W/g, '_');
    // The definition is read by nobody; it makes the objects stale when the package changes.
    const pin = `-DSTRATA_${name.toUpperCase().replaceAll('-', '_')}=${version}`;
    const folder = name === 'node-api-headers' ? 'include' : '';
    return ['-isystem', join(dirname(manifest), folder), pin];
  });
}

/** Linked beside and moved into place: a running process keeps the file that it has mapped. */
async function link(compiler, objects) {
  const fresh = `${built.addon}.new`;
  const { code, output } = await run(compiler, [...linkFlags, '-o', fresh, ...objects]);
  if (code !== 0) throw new Problem('The addon does not link:', output);
  renameSync(fresh, built.addon);
}

/** The full path of a compiler that knows C++20. Errors: Problem. */
export async function findCompiler() {
  const named = process.env.CXX;
  const compiler = find(named ? [named] : ['c++', 'g++', 'clang++']);
  if (compiler === null) {
    const which = named
      ? `The C++ compiler "${named}" that CXX names is not there`
      : 'There is no C++ compiler';
    throw new Problem(`${which}: ${howToInstall()}`);
  }
  const probe = '#include <bit>\n#include <concepts>\n#include <span>\nint main() {}\n';
  const { code, output } = await run(compiler, ['-std=c++20', '-fsyntax-only', '-x', 'c++', '-'], {
    input: probe,
  });
  if (code !== 0) {
    throw new Problem(`The C++ compiler ${compiler} cannot compile C++20: ${howToInstall()}`, output);
  }
  return compiler;
}

function howToInstall() {
  if (isMac) return 'install one with "xcode-select --install", then run the command again.';
  if (find(['apt-get'])) return 'install one with "sudo apt-get install g++", then run the command again.';
  if (find(['dnf'])) return 'install one with "sudo dnf install gcc-c++", then run the command again.';
  return 'install g++ 11 or clang 14, or newer, then run the command again.';
}

/** Windows needs an import library and a delay-load hook, which cmake-js makes from the same CMakeLists.txt. */
async function buildWithCmake() {
  const cmake = at('node_modules', 'cmake-js', 'bin', 'cmake-js');
  const { code, output } = await run(process.execPath, [
    cmake,
    'compile',
    '-d',
    'native',
    '-O',
    'native/build',
  ]);
  if (code !== 0) {
    throw new Problem(
      'The addon could not be built: install Visual Studio 2022 with "Desktop development with C++" (it brings CMake), then run the command again.',
      output,
    );
  }
}
