import { type FileHandle, open } from 'node:fs/promises';
import { hostname } from 'node:os';
import { engineError, systemReason } from '../errors.ts';
import type { Hello } from './hello.ts';

/** What is written is on the disk at the latest so long after it came. */
const SYNC_MS = 1000;

/**
 * The recording of one session: its lines as they came, behind comments that say whose they are. It is a capture in
 * Strata's own format (native/capture/GENERIC.md) at every moment, also when this process dies.
 */
export class Spool {
  readonly path: string;
  #file: FileHandle | null;
  #synced = Promise.resolve();
  #syncedAt = 0;

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  /** For this user alone; must not be there yet. */
  static async create(path: string): Promise<Spool> {
    try {
      return new Spool(path, await open(path, 'wx', 0o600));
    } catch (error) {
      throw cannotWrite(path, error);
    }
  }

  /** Errors: "recording-failed". */
  async write(bytes: Uint8Array): Promise<void> {
    const file = this.#file;
    if (file === null) return;
    try {
      for (let at = 0; at < bytes.length; ) {
        at += (await file.write(bytes, at, bytes.length - at, null)).bytesWritten;
      }
    } catch (error) {
      throw cannotWrite(this.path, error);
    }
    if (Date.now() - this.#syncedAt < SYNC_MS) return;
    this.#syncedAt = Date.now();
    // A disk that cannot be synchronised refuses the next write.
    this.#synced = file.datasync().catch(() => {});
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await this.#synced;
    await file?.sync().catch(() => {});
    await file?.close();
  }
}

function cannotWrite(path: string, error: unknown) {
  return engineError(
    'recording-failed',
    `The recording ${path} cannot be written: ${systemReason(error)}.`,
    'Make room on the disk, or name another folder in STRATA_RECORDINGS. What was written can be opened.',
  );
}

/** The comments at the head of a recording. */
export function headOf(hello: Hello, started: Date): Buffer {
  const said: readonly (readonly [string, string])[] = [
    ['producer', hello.producer],
    ['recorded', 'live'],
    ['process', hello.pid === null ? '' : String(hello.pid)],
    ['host', hello.host === '' ? hostname() : hello.host],
    ['devices', hello.devices.join(', ')],
    ['started', started.toISOString()],
    ['sizes', hello.sizes === 'estimated' ? 'estimated' : ''],
  ];
  const lines = said.filter(([, value]) => value !== '').map(([name, value]) => comment(name, value));
  return Buffer.from(lines.join(''));
}

/** One comment, on one line whatever it says. */
export function comment(name: string, value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get in
  return `# ${name} = ${value.replace(/[\x00-\x1f\x7f]+/g, ' ')}\n`;
}
