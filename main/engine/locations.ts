import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Electron's folder of packaged resources; undefined elsewhere. */
const resourcesPath = (process as { readonly resourcesPath?: string }).resourcesPath;

/**
 * Finds a file or folder that ships with the application: where an environment variable says, else in the packaged
 * resources, else in the repository above this module, which may run from its source or from dist/.
 */
export function findShipped(shipped: {
  readonly variable: string;
  readonly inResources: string;
  readonly inRepository: string;
}): string | null {
  const named = process.env[shipped.variable];
  if (named !== undefined && named !== '') return named;
  if (resourcesPath !== undefined) {
    const packaged = join(resourcesPath, shipped.inResources);
    if (existsSync(packaged)) return packaged;
  }
  return findAbove(dirname(fileURLToPath(import.meta.url)), shipped.inRepository);
}

function findAbove(folder: string, relative: string): string | null {
  const candidate = join(folder, relative);
  if (existsSync(candidate)) return candidate;
  const parent = dirname(folder);
  return parent === folder ? null : findAbove(parent, relative);
}
