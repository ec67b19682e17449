import { findClangFormat, nativeFiles } from '../format-native.mjs';
import { at, built } from '../paths.mjs';
import { find, run } from '../program.mjs';
import { wrongImports } from './imports.mjs';

/** A check that is right or wrong as a whole counts as one test. */
const verdict = (isRight, output) => ({
  passed: isRight ? 1 : 0,
  failed: isRight ? 0 : 1,
  skipped: 0,
  output,
});

async function tool(program, args) {
  const { code, output } = await run(program, args);
  return verdict(code === 0, output);
}

export const biome = {
  name: 'biome',
  run: () =>
    tool(process.execPath, [
      at('node_modules', '@biomejs', 'biome', 'bin', 'biome'),
      'ci',
      '--colors=off',
      '.',
    ]),
};

export const clangFormat = {
  name: 'clang-format',
  whyNot: () => (findClangFormat() === null ? 'clang-format-16 is not installed' : null),
  run: () => tool(findClangFormat(), ['--dry-run', '-Werror', '--ferror-limit=3', ...nativeFiles()]),
};

export const types = {
  name: 'types',
  run: () =>
    tool(process.execPath, [at('node_modules', 'typescript', 'bin', 'tsc'), '-p', '.', '--pretty', 'false']),
};

export const imports = {
  name: 'imports',
  run: async () => {
    const wrong = wrongImports();
    return verdict(wrong.length === 0, wrong.join('\n'));
  },
};

/**
 * What the addon must not leave to whoever loads it: Electron refuses array buffers over foreign memory, V8's own
 * symbols change with every version, and our own have to be inside.
 */
const FORBIDDEN = /napi_create_external_(array)?buffer|_ZN2v8|_ZNK?6strata/;

export const symbols = {
  name: 'symbols',
  whyNot: () =>
    find(['nm']) === null || process.platform !== 'linux' ? 'there is no nm to read them with' : null,
  run: async () => {
    const { code, output } = await run('nm', ['-D', '--undefined-only', built.addon]);
    const forbidden = output.split('\n').filter((line) => FORBIDDEN.test(line));
    return verdict(code === 0 && forbidden.length === 0, code === 0 ? forbidden.join('\n') : output);
  },
};
