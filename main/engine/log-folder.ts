import { opendir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { ProfileRunsResult } from '../../app/contract/engine.ts';
import { type FolderFile, profileRuns } from '../../app/domain/profile-runs.ts';
import { engineError } from './errors.ts';

/** A log directory has its runs a few folders down; a folder of something else is not walked to its end. */
const DEEPEST = 8;
const MOST_ENTRIES = 50_000;

/** The profiles in a folder, newest first. Errors: "file-not-found", "file-is-no-folder", "file-not-readable". */
export async function profileRunsIn(folder: string): Promise<ProfileRunsResult> {
  const path = resolve(folder);
  await checkFolder(path, folder);
  const walk = new Walk(path);
  await walk.into('', 0);
  const runs = profileRuns(walk.files, basename(path)).map((run) => ({
    ...run,
    files: run.files.map((file) => ({ ...file, path: join(path, ...file.path.split('/')) })),
  }));
  return { folder: path, runs, isWhole: !walk.isCut };
}

/** A folder cannot be opened as if it were a capture. Errors: "file-is-folder", "folder-of-runs". */
export async function refuseFolder(path: string): Promise<void> {
  if (!(await isFolder(path))) return;
  const { runs } = await profileRunsIn(path);
  if (runs.length === 0) {
    throw engineError(
      'file-is-folder',
      `${path} is a folder without profiles.`,
      'Name a capture inside it, or a log directory of TensorBoard or JAX, which has plugins/profile in it.',
    );
  }
  throw engineError(
    'folder-of-runs',
    runs.length === 1
      ? `${path} is a log directory with one run.`
      : `${path} is a log directory with ${runs.length} runs.`,
    `Name one of its files: the newest is ${runs[0]?.files[0]?.path}.`,
  );
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() ?? false;
}

async function checkFolder(path: string, named: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null) {
    throw engineError('file-not-found', `There is no folder ${named}.`, 'Check its name and place.');
  }
  if (!found.isDirectory()) {
    throw engineError('file-is-no-folder', `${named} is no folder.`, 'Open it as a capture.');
  }
}

/** Collects the files of profiles. Links are not followed, so it ends. */
class Walk {
  readonly files: FolderFile[] = [];
  isCut = false;
  readonly #root: string;
  #entries = 0;

  constructor(root: string) {
    this.#root = root;
  }

  async into(place: string, depth: number): Promise<void> {
    const folders: string[] = [];
    try {
      for await (const entry of await opendir(join(this.#root, place))) {
        this.#entries += 1;
        if (this.#entries > MOST_ENTRIES) {
          this.isCut = true;
          return;
        }
        const path = place === '' ? entry.name : `${place}/${entry.name}`;
        if (entry.isDirectory() && !entry.name.startsWith('.')) folders.push(path);
        else if (entry.isFile() && isWanted(entry.name)) await this.#add(path);
      }
    } catch {
      this.isCut = true; // a folder that may not be read hides what is in it
    }
    if (depth === DEEPEST) {
      this.isCut ||= folders.length > 0;
      return;
    }
    for (const folder of folders.sort()) await this.into(folder, depth + 1);
  }

  async #add(path: string): Promise<void> {
    const { size, mtimeMs } = await stat(join(this.#root, path));
    this.files.push({ path, bytes: size, modifiedMs: Math.round(mtimeMs) });
  }
}

/** Only profiles are asked for their size. */
const isWanted = (name: string) => profileRuns([{ path: name, bytes: 0, modifiedMs: null }], '').length > 0;
