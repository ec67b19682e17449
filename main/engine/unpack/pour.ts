import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { cancelled } from '../errors.ts';
import { diskFull } from './limits.ts';

export interface Poured {
  readonly written: number;
  /** Why the stream broke off; what came before it is in the file. Null when it was complete. */
  readonly failure: Error | null;
}

export interface PourOptions {
  readonly signal: AbortSignal | undefined;
  /** Called with the bytes written so far after each chunk; what it throws ends the work. */
  readonly guard: (written: number, chunk: Uint8Array) => void;
  /** Where in the file to begin; what lies behind is replaced. From its start if left out. */
  readonly from?: number;
}

/**
 * Writes a stream to a file. Chunks are written at once as they come, so that when a damaged archive ends in an
 * error, everything before it has been kept. Rejects when the guard throws, the disk fails or the signal aborts.
 */
export function pour(source: Readable, target: string, options: PourOptions): Promise<Poured> {
  const from = options.from ?? 0;
  const out = openSync(target, from === 0 ? 'w' : 'r+', 0o600);
  ftruncateSync(out, from);
  let written = 0;
  const poured = new Promise<Poured>((resolve, reject) => {
    const abort = () => stop(cancelled());
    const stop = (error: unknown) => {
      reject(error);
      source.destroy();
    };
    options.signal?.addEventListener('abort', abort, { once: true });
    if (options.signal?.aborted === true) abort();
    source.on('data', (chunk: Uint8Array) => {
      try {
        writeAll(out, chunk, from + written, target);
        written += chunk.length;
        options.guard(written, chunk);
      } catch (error) {
        stop(error);
      }
    });
    source.on('end', () => resolve({ written, failure: null }));
    source.on('error', (failure) => resolve({ written, failure }));
  });
  return poured.finally(() => closeSync(out));
}

function writeAll(out: number, chunk: Uint8Array, place: number, target: string): void {
  for (let at = 0; at < chunk.length; ) {
    try {
      at += writeSync(out, chunk, at, chunk.length - at, place + at);
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? diskFull(target) : error;
    }
  }
}
