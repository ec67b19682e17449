import { Problem } from './problem.mjs';
import { find, run } from './program.mjs';
import { filesBelow } from './stamp.mjs';

/** Debian's current name first: its version is the one the code is formatted with. */
export const findClangFormat = () => find(['clang-format-16', 'clang-format']);

/** @returns {string[]} every C++ file, as paths below the repository */
export const nativeFiles = () =>
  ['native', 'test/native', 'test/fuzz'].flatMap(filesBelow).filter((path) => /\.(cc|h)$/.test(path));

/** `npm run format`, its C++ half. */
export default async function formatNative() {
  const program = findClangFormat();
  if (program === null)
    throw new Problem('clang-format is missing: install clang-format-16, then run it again.');
  const { code, output } = await run(program, ['-i', ...nativeFiles()]);
  if (code !== 0) throw new Problem('clang-format failed:', output);
}
