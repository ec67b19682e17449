import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LeftRecording } from '../../../app/contract/allocations.ts';
import { engineError, systemReason } from '../errors.ts';
import { recordingsFolder } from '../recordings-folder.ts';
import { isLeft } from './recording-name.ts';

/** A discarded recording can be had back for so long; only then is its file deleted. */
const UNDO_MS = 20_000;

export function unsavedFolder(): string {
  const folder = join(recordingsFolder(), 'unsaved');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/**
 * What earlier runs left behind when they ended before anything was saved. Nothing but such a recording is ever
 * deleted; one that was discarded stays where it is until it cannot be had back any more.
 */
export class LeftRecordings {
  /** By name. */
  readonly #discarded = new Map<string, NodeJS.Timeout>();

  /** The newest first. */
  list(): readonly LeftRecording[] {
    const folder = unsavedFolder();
    return readdirSync(folder)
      .filter(isLeft)
      .flatMap((name) => {
        const path = join(folder, name);
        const found = statSync(path, { throwIfNoEntry: false });
        if (found?.isFile() !== true) return [];
        const isDiscarded = this.#discarded.has(name);
        return [{ path, name, bytes: found.size, changedMs: found.mtimeMs, isDiscarded }];
      })
      .sort((one, other) => other.changedMs - one.changedMs);
  }

  /** Errors: "no-such-recording". */
  discard(name: string): void {
    this.#require(name);
    if (this.#discarded.has(name)) return;
    // One that cannot be deleted stays on the list.
    const timer = setTimeout(() => this.#remove(name), UNDO_MS);
    timer.unref();
    this.#discarded.set(name, timer);
  }

  /** Takes it back. Errors: "no-such-recording". */
  restore(name: string): void {
    this.#require(name);
    clearTimeout(this.#discarded.get(name));
    this.#discarded.delete(name);
  }

  /** There is nobody any more who could want one back. */
  finish(): void {
    for (const name of [...this.#discarded.keys()]) this.#remove(name);
  }

  #remove(name: string): void {
    clearTimeout(this.#discarded.get(name));
    this.#discarded.delete(name);
    try {
      rmSync(join(unsavedFolder(), name), { force: true });
    } catch (error) {
      console.error(`The recording ${name} cannot be deleted: ${systemReason(error)}.`);
    }
  }

  #require(name: string): void {
    if (this.list().some((one) => one.name === name)) return;
    throw engineError('no-such-recording', 'There is no such recording any more.');
  }
}
