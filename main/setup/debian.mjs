import { existsSync } from 'node:fs';
import { findClangFormat } from './format-native.mjs';
import { find, run } from './program.mjs';

/** Chromium under the names that distributions give it. */
export const findChromium = () =>
  process.env.STRATA_CHROMIUM ??
  find(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']);

/** Where Debian, a build from source and Homebrew put it. */
export const hasGoogleTest = () =>
  ['/usr', '/usr/local', '/opt/homebrew'].some((prefix) => existsSync(`${prefix}/include/gtest/gtest.h`));

/** What the tests need beyond Node and a compiler, with Debian's package for each. */
const tools = [
  { package: 'chromium', isThere: () => findChromium() !== null },
  { package: 'libgtest-dev', isThere: () => hasGoogleTest() },
  { package: 'cmake', isThere: () => find(['cmake']) !== null },
  { package: 'ninja-build', isThere: () => find(['ninja']) !== null },
  { package: 'clang-format-16', isThere: () => findClangFormat() !== null },
];

/**
 * Installs what is missing where that is possible, and otherwise says what to install.
 *
 * @param {import('./progress.mjs').Progress} progress
 */
export async function installTestTools(progress) {
  const missing = tools.filter((tool) => !tool.isThere()).map((tool) => tool.package);
  if (missing.length === 0) return;
  if (!isRootOnDebian()) {
    progress.say(`Missing for some of the tests: ${missing.join(', ')}.${hint(missing)}`);
    return;
  }
  const { code, output } = await progress.step(`Installing ${missing.join(', ')}`, () => apt(missing));
  if (code !== 0) progress.say(`apt-get could not install them:\n${output.trimEnd()}`);
}

async function apt(packages) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const update = await run('apt-get', ['update', '-qq'], { env });
  const install = await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], {
    env,
  });
  return { code: install.code, output: install.code === 0 ? '' : update.output + install.output };
}

const isRootOnDebian = () =>
  process.getuid?.() === 0 && existsSync('/etc/debian_version') && find(['apt-get']) !== null;

const hint = (packages) =>
  find(['apt-get']) === null ? '' : ` To run them all: sudo apt-get install ${packages.join(' ')}`;
