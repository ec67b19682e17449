import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { findChromium } from '../debian.mjs';
import { at } from '../paths.mjs';
import { run } from '../program.mjs';

/** The projects of test/vitest.config.ts. */
export const unit = project('unit');
export const golden = project('golden');
export const endToEnd = project('e2e', needsChromium);
export const shell = project('shell', needsChromium);

function needsChromium() {
  return findChromium() === null ? 'Chromium is not installed' : null;
}

function project(name, whyNot = () => null) {
  return {
    name,
    whyNot,
    run: async () => {
      const report = at('dist', 'test', `${name}.json`);
      mkdirSync(at('dist', 'test'), { recursive: true });
      rmSync(report, { force: true });
      const { code, output } = await run(
        process.execPath,
        [
          at('node_modules', 'vitest', 'vitest.mjs'),
          'run',
          '--config=test/vitest.config.ts',
          `--project=${name}`,
          '--reporter=default',
          '--reporter=json',
          '--reporter=./test/e2e/retried.ts',
          `--outputFile.json=${report}`,
        ],
        { env: { ...process.env, NO_COLOR: '1', STRATA_CHROMIUM: findChromium() ?? '' } },
      );
      for (const [line] of output.matchAll(/^passed only when tried again: .*$/gm)) console.log(line);
      return { ...counts(report, code), output };
    },
  };
}

/** A file that does not even load has no tests to count, so a failing run counts at least one failure. */
function counts(report, code) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    const failed = Math.max(numFailedTests, code === 0 ? 0 : 1);
    return { passed: numPassedTests, failed, skipped: numPendingTests + numTodoTests };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}
