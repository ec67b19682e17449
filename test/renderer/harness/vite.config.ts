import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const repository = path.resolve(import.meta.dirname, '../../..');

/** `npx vite --config test/renderer/harness/vite.config.ts` shows the page over made-up traces. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  server: { fs: { allow: [repository] } },
  build: { target: 'es2023', outDir: path.join(repository, 'dist/harness'), emptyOutDir: true },
});
