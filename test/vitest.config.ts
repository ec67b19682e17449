import path from 'node:path';
import { defineConfig } from 'vitest/config';

const root = path.resolve(import.meta.dirname, '..');

/** A browser on a busy machine is late now and then; what passes only the second time is named (retried.ts). */
const ONE_MORE_TRY = 1;
/** How long `expect.poll` looks again in a browser, which is often later than its usual second. */
const PATIENCE = { poll: { timeout: 15_000 } };

/** One project for each stage of `npm test`; `npx vitest --config test/vitest.config.ts --project unit` runs one. */
export default defineConfig({
  root,
  test: {
    projects: [
      {
        root,
        test: { name: 'unit', include: ['test/{app,main,renderer}/**/*.test.{ts,tsx}'], testTimeout: 30_000 },
      },
      { root, test: { name: 'golden', include: ['test/golden/**/*.test.ts'], testTimeout: 120_000 } },
      {
        root,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: ['test/e2e/shell*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          retry: ONE_MORE_TRY,
          expect: PATIENCE,
          // One browser at a time: pictures and frames are not to fight over the processor.
          fileParallelism: false,
        },
      },
      {
        root,
        test: {
          name: 'shell',
          include: ['test/e2e/shell*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          retry: ONE_MORE_TRY,
          expect: PATIENCE,
          fileParallelism: false,
        },
      },
    ],
  },
});
