import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A path for a new file that only this user can read. It goes when `remove` is called, at the latest on exit. */
export interface TemporaryFile {
  readonly path: string;
  remove(): void;
}

/** The folders that are still there, one for each file. */
const folders = new Set<string>();

export function temporaryFile(): TemporaryFile {
  if (folders.size === 0) process.once('exit', removeAll);
  const folder = mkdtempSync(join(tmpdir(), 'strata-'));
  folders.add(folder);
  return { path: join(folder, 'capture'), remove: () => removeFolder(folder) };
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
  if (folders.size === 0) process.removeListener('exit', removeAll);
}

function removeAll(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
