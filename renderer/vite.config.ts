import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { CONTENT_SECURITY_POLICY } from '../app/domain/content-policy.ts';

const repository = path.resolve(import.meta.dirname, '..');

/** Writes the policy into the page, so that it holds even where a server sends no header. */
const contentPolicy: Plugin = {
  name: 'content-policy',
  apply: 'build',
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: { 'http-equiv': 'Content-Security-Policy', content: CONTENT_SECURITY_POLICY },
      injectTo: 'head-prepend',
    },
  ],
};

/** The pages: the same files whether the shell's app:// scheme or the loopback server sends them. */
export default defineConfig({
  root: import.meta.dirname,
  // Relative addresses fit app://strata/ and http://127.0.0.1:PORT/ alike.
  base: './',
  plugins: [react(), contentPolicy],
  build: {
    outDir: path.join(repository, 'dist/renderer'),
    emptyOutDir: true,
    // The Chromium of Electron 45, and the browsers of the last two years.
    target: 'es2023',
    // The content-security policy has no data: for scripts and styles, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
  },
});
