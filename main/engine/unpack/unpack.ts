import { accessSync, closeSync, constants, openSync, readSync, type Stats, statSync } from 'node:fs';
import { engineError } from '../errors.ts';
import { gunzip } from './gzip.ts';
import { type FileKind, kindOf } from './kind.ts';
import type { UnpackWarning } from './layer.ts';
import { createGuard } from './limits.ts';
import { type TemporaryFile, temporaryFile } from './temporary.ts';
import { unzip } from './zip.ts';
import { unzstd } from './zstd.ts';

/** A file that the addon can read, after all packing was taken off. */
export interface Unpacked {
  readonly path: string;
  readonly packedBytes: number;
  readonly warnings: readonly UnpackWarning[];
  readonly isCheckpoint: boolean;
  /** Removes what was written for it; the addon needs the file only while it opens it. */
  remove(): void;
}

export interface UnpackOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (done: number, total: number) => void;
}

/** A gzip file in a zip archive is common, more than that is a trap. */
const MOST_LAYERS = 2;
const UNPACKERS = { gzip: gunzip, zstd: unzstd, zip: unzip };
type Packing = keyof typeof UNPACKERS;

const isPacking = (kind: FileKind): kind is Packing => Object.hasOwn(UNPACKERS, kind);

/**
 * Takes gzip, zstd and zip off a file, recognised by content, into temporary files. Errors: those of a missing or unfit
 * file ("file-…"), of the packings, "archive-bomb", "archive-nested", "disk-full", "cancelled".
 */
export async function unpack(path: string, options: UnpackOptions = {}): Promise<Unpacked> {
  const packedBytes = checkFile(path).size;
  const layers: TemporaryFile[] = [];
  const warnings: UnpackWarning[] = [];
  let isCheckpoint = false;
  const remove = () => {
    for (const layer of layers) layer.remove();
  };
  try {
    let current = path;
    for (let kind = peek(current); isPacking(kind); kind = peek(current)) {
      if (layers.length === MOST_LAYERS) throw nested();
      const layer = temporaryFile();
      layers.push(layer);
      const unwrapped = await takeOff(kind, current, layer.path, packedBytes, options);
      warnings.push(...unwrapped.warnings);
      isCheckpoint ||= unwrapped.isCheckpoint;
      current = layer.path;
    }
    return { path: current, packedBytes, warnings, isCheckpoint, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function takeOff(kind: Packing, from: string, to: string, packedBytes: number, options: UnpackOptions) {
  const { signal, onProgress = () => {} } = options;
  return UNPACKERS[kind](from, to, { signal, onProgress, guard: createGuard(packedBytes, to) });
}

function peek(path: string): FileKind {
  const head = new Uint8Array(64);
  const file = openSync(path, 'r');
  try {
    return kindOf(head.subarray(0, readSync(file, head)));
  } finally {
    closeSync(file);
  }
}

function checkFile(path: string): Stats {
  let stats: Stats;
  try {
    stats = statSync(path);
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw unreadable(path, (error as NodeJS.ErrnoException).code ?? '');
  }
  if (stats.isDirectory()) {
    throw engineError('file-is-folder', `${path} is a folder.`, 'Name the capture inside it.');
  }
  if (!stats.isFile()) {
    throw engineError('file-not-regular', `${path} is not a regular file.`, 'Save it to a file first.');
  }
  if (stats.size === 0) {
    throw engineError(
      'file-empty',
      'This file is empty.',
      'Record it again: the program may have stopped early.',
    );
  }
  return stats;
}

function unreadable(path: string, code: string) {
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return engineError('file-not-found', `There is no file ${path}.`, 'Check its name and folder.');
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return engineError('file-not-readable', `You may not read ${path}.`, 'Ask its owner, or copy it.');
  }
  return engineError('file-not-readable', `${path} cannot be read (${code}).`, 'Check the disk it is on.');
}

function nested() {
  return engineError(
    'archive-nested',
    `This file is packed more than ${MOST_LAYERS} times over.`,
    'Unpack it yourself and open the result.',
  );
}
