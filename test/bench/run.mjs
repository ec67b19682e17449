// Bundles the benchmark (TypeScript) and runs it: `npm run bench -- [--sizes 100000,1000000] [--no-page] [--json FILE]`.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const outDir = path.join(root, 'dist/bench');

await mkdir(outDir, { recursive: true });
await build({
  root,
  configFile: false,
  logLevel: 'warn',
  ssr: { noExternal: true, external: ['playwright-core'] },
  build: {
    ssr: true,
    target: 'node20',
    outDir,
    emptyOutDir: true,
    rollupOptions: {
      input: {
        main: path.join(root, 'test/bench/main.ts'),
        'open-one': path.join(root, 'test/bench/open-one.ts'),
        'open-record': path.join(root, 'test/bench/open-record.ts'),
        'open-recording': path.join(root, 'test/bench/open-recording.ts'),
        'sample-one': path.join(root, 'test/bench/sample-one.ts'),
      },
      output: { format: 'es', entryFileNames: '[name].mjs' },
    },
  },
});
await import(pathToFileURL(path.join(outDir, 'main.mjs')).href);
