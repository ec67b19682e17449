import { accessSync, closeSync, constants, openSync, readSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { engineError, systemReason } from './errors.ts';

/** Before anything is begun: whether a recording can lie there. Errors: "recording-failed". */
export function checkRecordingPlace(path: string, example: string): void {
  if (isFolder(path)) {
    throw engineError(
      'recording-failed',
      `${path} is a folder, and a recording is a file.`,
      `Name a file in it: ${join(path, example)}`,
    );
  }
  const folder = dirname(path);
  if (!isFolder(folder)) {
    throw engineError(
      'recording-failed',
      `There is no folder ${folder}, so no recording can be made in it.`,
      'Make the folder first, or name a file in one that is there.',
    );
  }
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw engineError(
      'recording-failed',
      `No recording can be made in ${folder}: ${systemReason(error)}.`,
      'Name a file in a folder that you may write to.',
    );
  }
}

/** What a recording of GPUs begins with, as native/device/recording_format.h says. */
const MAGIC = Buffer.from('\x89STRATAG\r\n\x1a\n', 'latin1');

/** Whether a file is there that is no recording of GPUs; an empty one is as good as none. Errors: "recording-failed". */
export function isOtherFile(path: string): boolean {
  const found = statOf(path);
  if (found === undefined || found.size === 0) return false;
  return found.isDirectory() || !startOf(path).equals(MAGIC);
}

function startOf(path: string): Buffer {
  const start = Buffer.alloc(MAGIC.length);
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    readSync(file, start, 0, start.length, 0);
  } catch (error) {
    throw engineError(
      'recording-failed',
      `${path} cannot be read: ${systemReason(error)}.`,
      'Name another file.',
    );
  } finally {
    if (file !== null) closeSync(file);
  }
  return start;
}

function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory() === true;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a part of the path is no folder
  }
}
