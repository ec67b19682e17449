import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { engineError, systemReason } from './errors.ts';

/**
 * Where recordings are kept: a folder of their own in the user's home. It is made when it is not there.
 * Errors: "recording-failed".
 */
export function recordingsFolder(): string {
  const folder = process.env['STRATA_RECORDINGS'] ?? join(homedir(), 'Strata recordings');
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw engineError(
      'recording-failed',
      `The folder for recordings, ${folder}, cannot be made: ${systemReason(error)}.`,
      'Name another in the environment variable STRATA_RECORDINGS.',
    );
  }
  return folder;
}

/** "2026-11-30 19-23-02", in local time, for the name of a file. */
export function fileStamp(now = new Date()): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  return `${day} ${two(now.getHours())}-${two(now.getMinutes())}-${two(now.getSeconds())}`;
}
