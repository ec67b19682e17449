import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | null = null;
let count = 0;

/** A path for a new file that only this user can read. It goes when `remove` is called, at the latest on exit. */
export interface TemporaryFile {
  readonly path: string;
  remove(): void;
}

export function temporaryFile(): TemporaryFile {
  folder ??= createFolder();
  count += 1;
  const path = join(folder, `capture-${count}`);
  return { path, remove: () => rmSync(path, { force: true }) };
}

function createFolder(): string {
  const created = mkdtempSync(join(tmpdir(), 'strata-'));
  process.on('exit', () => rmSync(created, { recursive: true, force: true }));
  return created;
}
