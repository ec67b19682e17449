import { type FolderFile, profileRuns } from '../../../app/domain/profile-runs.ts';
import type { ChosenFile, OfferedFolder } from '../platform.ts';

/** As deep and as many as the engine looks on its own machine. */
const DEEPEST = 8;
const MOST_ENTRIES = 50_000;

/** Reads what a dropped folder holds, as far as the browser lets it. */
export async function readDroppedFolder(
  folder: FileSystemDirectoryEntry,
  handOver: (file: File) => ChosenFile,
): Promise<OfferedFolder> {
  const walk = new Walk();
  await walk.into(folder, '', 0);
  return {
    folder: folder.name,
    runs: profileRuns(walk.files, folder.name),
    isWhole: !walk.isCut,
    file: ({ path }) => {
      const file = walk.contents.get(path) as File;
      return { ...handOver(file), name: path.split('/').slice(-2).join('/') };
    },
  };
}

class Walk {
  readonly files: FolderFile[] = [];
  readonly contents = new Map<string, File>();
  isCut = false;
  #entries = 0;

  async into(folder: FileSystemDirectoryEntry, place: string, depth: number): Promise<void> {
    for (const entry of await entriesOf(folder).catch(() => this.#unreadable())) {
      this.#entries += 1;
      if (this.#entries > MOST_ENTRIES || depth === DEEPEST) {
        this.isCut = true;
        return;
      }
      const path = place === '' ? entry.name : `${place}/${entry.name}`;
      if (isDirectory(entry)) await this.into(entry, path, depth + 1);
      else if (isProfile(entry.name)) await this.#add(entry as FileSystemFileEntry, path);
    }
  }

  async #add(entry: FileSystemFileEntry, path: string): Promise<void> {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject)).catch(() => null);
    if (file === null) {
      this.isCut = true;
      return;
    }
    this.contents.set(path, file);
    this.files.push({ path, bytes: file.size, modifiedMs: file.lastModified });
  }

  #unreadable(): readonly FileSystemEntry[] {
    this.isCut = true;
    return [];
  }
}

const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

const isProfile = (name: string) => profileRuns([{ path: name, bytes: 0, modifiedMs: null }], '').length > 0;

/** A reader hands over a hundred entries at a time, and none when there are no more. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}
