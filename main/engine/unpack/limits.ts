import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { engineError } from '../errors.ts';

const MEBIBYTE = 1024 ** 2;
/** Real captures shrink 10 to 100 times; deflate's own limit is near 1,030. */
const LARGEST_RATIO = 400;
/** Up to here no ratio is suspicious: a small file full of repetitions is harmless. */
const ALWAYS_ALLOWED = 256 * MEBIBYTE;
/** What is left to the rest of the machine. */
const KEPT_FREE = 512 * MEBIBYTE;
const BETWEEN_CHECKS = 64 * MEBIBYTE;

/**
 * Guards the disk while a file is unpacked: a decompression bomb is refused before it fills it. To be called with
 * the bytes written so far. Errors: "archive-bomb", "disk-full".
 */
export function createGuard(archiveBytes: number, target: string): (written: number) => void {
  const most = Math.max(ALWAYS_ALLOWED, archiveBytes * LARGEST_RATIO);
  let nextCheck = 0;
  return (written) => {
    if (written > most) throw bomb(archiveBytes);
    if (written < nextCheck) return;
    nextCheck = written + BETWEEN_CHECKS;
    if (freeBytes(target) < KEPT_FREE) throw diskFull(target);
  };
}

/** Bytes that can still be written where a file lies, beyond what is kept free. */
export function roomBeside(path: string): number {
  return Math.max(0, freeBytes(path) - KEPT_FREE);
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize;
}

function bomb(archiveBytes: number) {
  return engineError(
    'archive-bomb',
    `This archive of ${archiveBytes} bytes unpacks to more than ${LARGEST_RATIO} times its size, as no capture does.`,
    'Unpack it yourself if you trust it, and open the result.',
  );
}

export function diskFull(path: string) {
  return engineError(
    'disk-full',
    `There is not enough free space in ${dirname(path)} to unpack this file.`,
    'Free some space, or set TMPDIR to a folder on a larger disk.',
  );
}
