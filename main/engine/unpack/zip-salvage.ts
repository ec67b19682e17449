import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { formatCount } from '../../../app/domain/format.ts';
import { visibleText } from '../../../app/domain/visible-text.ts';
import { engineError } from '../errors.ts';
import { damage, type Layer, type LayerOptions } from './layer.ts';
import { likenessOf } from './likeness.ts';
import { pour } from './pour.ts';

/*
 * A zip archive lists its files at its end. When the end is missing, the headers before each file still say where
 * they lie, as long as each states the size of what follows it.
 *
 *   header name [extra] data | header name [extra] data | … cut
 *
 * Source: PKWARE's APPNOTE.TXT, 4.3.7 (local file header).
 */

const HEADER_BYTES = 30;
const LOCAL_HEADER = 0x04034b50;
const END_RECORD = 0x06054b50;
const END_RECORD_BYTES = 22;
/** The end record, and the longest comment that can follow it. */
const END_BYTES = END_RECORD_BYTES + 65_535;
const MOST_FILES = 256;
const STORED = 0;
const DEFLATED = 8;
const IS_ENCRYPTED = 1;
const SIZE_FOLLOWS_DATA = 8;
/** In a size field: the size is in an extra field (zip64). */
const SIZE_ELSEWHERE = 0xffffffff;

interface LocalFile {
  readonly name: string;
  readonly method: number;
  readonly flags: number;
  readonly at: number;
  /** Of the packed data; null when the header does not say. */
  readonly bytes: number | null;
}

/** Whether an archive begins as one does but has no list of its files. */
export function isCutZip(path: string): boolean {
  const size = statSync(path).size;
  const tail = readAt(path, Math.max(0, size - END_BYTES), END_BYTES);
  const end = Buffer.alloc(4);
  end.writeUInt32LE(END_RECORD);
  const at = tail.lastIndexOf(end);
  const isEnded = at >= 0 && tail.length - at >= END_RECORD_BYTES;
  return localFileAt(path, 0) !== null && !isEnded;
}

/** Unpacks the first capture of an archive that was cut off. Errors: "zip-damaged". */
export async function salvageZip(packed: string, target: string, options: LayerOptions): Promise<Layer> {
  const size = statSync(packed).size;
  for (const file of localFiles(packed)) {
    if (!(await isCapture(packed, file))) continue;
    const stream = contentOf(packed, file);
    const guard = (written: number) => {
      options.guard(written);
      options.onProgress(Math.min(size, file.at + written), size);
    };
    const { written } = await pour(stream, target, { signal: options.signal, guard });
    if (written === 0) break;
    const message = `The zip archive is cut off at byte ${formatCount(size)}; ${visibleText(file.name)} was read as far as it is there.`;
    return { warnings: [damage('zip-truncated', message, size)], isCheckpoint: false };
  }
  throw engineError(
    'zip-damaged',
    'This zip archive is cut off before any capture in it can be read.',
    'Copy it again from where it was recorded.',
    { byte: size },
  );
}

function* localFiles(path: string): Generator<LocalFile> {
  let file = localFileAt(path, 0);
  for (let count = 0; file !== null && count < MOST_FILES; count += 1) {
    yield file;
    file = file.bytes === null ? null : localFileAt(path, file.at + file.bytes);
  }
}

function localFileAt(path: string, at: number): LocalFile | null {
  const header = readAt(path, at, HEADER_BYTES);
  if (header.length < HEADER_BYTES || header.readUInt32LE(0) !== LOCAL_HEADER) return null;
  const flags = header.readUInt16LE(6);
  const bytes = header.readUInt32LE(18);
  const nameBytes = header.readUInt16LE(26);
  const isUnknown = (flags & SIZE_FOLLOWS_DATA) !== 0 || bytes === SIZE_ELSEWHERE;
  return {
    name: readAt(path, at + HEADER_BYTES, nameBytes).toString('utf8'),
    method: header.readUInt16LE(8),
    flags,
    at: at + HEADER_BYTES + nameBytes + header.readUInt16LE(28),
    bytes: isUnknown ? null : bytes,
  };
}

async function isCapture(path: string, file: LocalFile): Promise<boolean> {
  const isReadable = file.method === STORED || file.method === DEFLATED;
  if (!isReadable || (file.flags & IS_ENCRYPTED) !== 0 || file.name.endsWith('/')) return false;
  try {
    for await (const chunk of contentOf(path, file)) {
      const likeness = likenessOf(chunk as Uint8Array);
      return likeness === 'capture' || likeness === 'perhaps';
    }
  } catch {
    // What cannot be read is no candidate.
  }
  return false;
}

function contentOf(path: string, file: LocalFile): Readable {
  const isStored = file.method === STORED && file.bytes !== null;
  const data = createReadStream(path, {
    start: file.at,
    ...(isStored ? { end: file.at + Math.max(0, (file.bytes ?? 0) - 1) } : {}),
  });
  if (file.method === STORED) return data;
  const inflate = createInflateRaw();
  inflate.on('close', () => data.destroy());
  return data.pipe(inflate);
}

function readAt(path: string, at: number, bytes: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, readSync(file, buffer, 0, bytes, at));
  } finally {
    closeSync(file);
  }
}
