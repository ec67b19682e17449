import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @param {...string} parts a path below the repository */
export const at = (...parts) => join(root, ...parts);

export const built = {
  addon: at('native', 'build', 'Release', 'strata.node'),
  host: at('dist', 'host', 'strata.mjs'),
  shell: at('dist', 'shell', 'main.cjs'),
  page: at('dist', 'renderer', 'index.html'),
};
