import type { Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { EngineError } from '../../../app/contract/error.ts';
import { visibleText } from '../../../app/domain/visible-text.ts';
import { cancelled, engineError } from '../errors.ts';
import { damage, type Layer, type LayerOptions, type UnpackWarning } from './layer.ts';
import { isLogOfAllocator, type Likeness, likenessOf } from './likeness.ts';
import { pour } from './pour.ts';
import { isCutZip, salvageZip } from './zip-salvage.ts';

/** Missing before Node 20.15; checksums are not compared there. */
const crc32: typeof zlib.crc32 | undefined = zlib.crc32;
const MOST_ENTRIES = 10_000;
const MOST_CANDIDATES = 256;
/** By this much of a file it is told what it is. */
const HEAD_BYTES = 1024 * 1024;
/** A log is searched for lines of an allocator this far. */
const MOST_SEARCHED_BYTES = 4 * 1024 ** 3;

/**
 * Unpacks the one capture in a zip file. Several files are told apart by their content, in every format that can be
 * opened; a torch.save archive yields its pickle. Errors: "zip-damaged", "zip-encrypted", "zip-no-capture", "zip-several-captures".
 */
export async function unzip(packed: string, target: string, options: LayerOptions): Promise<Layer> {
  const zip = await openPromise(packed, { autoClose: false }).catch((error) => {
    if (isCutZip(packed)) return null;
    return asDamaged(error);
  });
  if (zip === null) return salvageZip(packed, target, options);
  try {
    const entries = await listEntries(zip).catch(asDamaged);
    const choice = await chooseEntry(zip, entries, options);
    const warnings = [...choice.warnings, ...(await unpackEntry(zip, choice.entry, target, options))];
    return { warnings, isCheckpoint: choice.isCheckpoint };
  } finally {
    zip.close();
  }
}

async function listEntries(zip: ZipFile): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) {
    if (entries.length === MOST_ENTRIES) {
      throw engineError(
        'zip-several-captures',
        `This archive holds more than ${MOST_ENTRIES} files.`,
        UNPACK,
      );
    }
    if (isFile(entry)) entries.push(entry);
  }
  return entries;
}

/** Leaves out folders, hidden files and what macOS puts beside the real ones. */
function isFile(entry: Entry): boolean {
  const name = entry.fileName;
  return !name.endsWith('/') && !name.startsWith('__MACOSX/') && !baseName(name).startsWith('.');
}

interface Choice {
  readonly entry: Entry;
  readonly isCheckpoint: boolean;
  readonly warnings: readonly UnpackWarning[];
}

async function chooseEntry(zip: ZipFile, entries: readonly Entry[], options: LayerOptions): Promise<Choice> {
  const checkpoint = entries.find(
    (entry) => baseName(entry.fileName) === 'data.pkl' && hasSibling(entries, entry, 'version'),
  );
  if (checkpoint !== undefined) return { entry: checkpoint, isCheckpoint: true, warnings: [] };
  const [only] = entries;
  if (only !== undefined && entries.length === 1) return { entry: only, isCheckpoint: false, warnings: [] };
  const captures = await mostLikely(zip, entries.slice(0, MOST_CANDIDATES), options.signal);
  const [entry] = captures;
  if (entry === undefined) throw noCapture();
  if (captures.length > 1) throw severalCaptures(captures);
  return { entry, isCheckpoint: false, warnings: [chosen(entry, entries.length)] };
}

/** The entries that are captures, or else those that may be. */
async function mostLikely(
  zip: ZipFile,
  entries: readonly Entry[],
  signal: AbortSignal | undefined,
): Promise<readonly Entry[]> {
  const found = new Map<Entry, Likeness>();
  for (const entry of entries) found.set(entry, likenessOf(await headOf(zip, entry, signal)));
  const those = (likeness: Likeness) => entries.filter((entry) => found.get(entry) === likeness);
  const captures = those('capture');
  if (captures.length > 0) return captures;
  const logs: Entry[] = [];
  for (const entry of those('text')) if (await isLog(zip, entry, signal)) logs.push(entry);
  return logs.length > 0 ? logs : those('perhaps');
}

async function headOf(zip: ZipFile, entry: Entry, signal: AbortSignal | undefined): Promise<Uint8Array> {
  for await (const head of partsOf(zip, entry, HEAD_BYTES, signal)) return head;
  return new Uint8Array();
}

/** Whether a text that does not begin as a capture has lines of an allocator further on. */
async function isLog(zip: ZipFile, entry: Entry, signal: AbortSignal | undefined): Promise<boolean> {
  let searched = 0;
  for await (const part of partsOf(zip, entry, HEAD_BYTES, signal)) {
    if (isLogOfAllocator(part)) return true;
    searched += part.length;
    if (searched >= MOST_SEARCHED_BYTES) break;
  }
  return false;
}

/** A file in parts of at least so many bytes but for the last; ends early where it cannot be read. */
async function* partsOf(
  zip: ZipFile,
  entry: Entry,
  bytes: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  if (entry.isEncrypted()) return;
  let chunks: Uint8Array[] = [];
  let held = 0;
  const stream = await zip.openReadStreamPromise(entry).catch(() => null);
  if (stream === null) return;
  try {
    for await (const chunk of stream) {
      if (signal?.aborted === true) throw cancelled();
      chunks.push(chunk as Uint8Array);
      held += (chunk as Uint8Array).length;
      if (held < bytes) continue;
      yield Buffer.concat(chunks);
      chunks = [];
      held = 0;
    }
  } catch (error) {
    if (error instanceof EngineError) throw error;
    // What cannot be read further is told apart by what came before.
  } finally {
    stream.destroy();
  }
  if (held > 0) yield Buffer.concat(chunks);
}

async function unpackEntry(
  zip: ZipFile,
  entry: Entry,
  target: string,
  options: LayerOptions,
): Promise<readonly UnpackWarning[]> {
  if (entry.isEncrypted()) {
    throw engineError('zip-encrypted', 'This archive is encrypted.', UNPACK);
  }
  options.guard(entry.uncompressedSize);
  const stream: Readable = await zip.openReadStreamPromise(entry).catch(asDamaged);
  let checksum = 0;
  const guard = (written: number, chunk: Uint8Array) => {
    checksum = crc32?.(chunk, checksum) ?? entry.crc32;
    options.guard(written);
    options.onProgress(written, entry.uncompressedSize);
  };
  const { written, failure } = await pour(stream, target, { signal: options.signal, guard });
  if (failure !== null) {
    if (written === 0) asDamaged(failure);
    return [damage('zip-damaged', `The zip archive is damaged: ${failure.message}.`, null)];
  }
  if (checksum === entry.crc32) return [];
  return [damage('zip-checksum', 'The checksum of the zip archive does not match its content.', null)];
}

const UNPACK = 'Unpack it yourself and open the one file you want.';

function baseName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

function hasSibling(entries: readonly Entry[], entry: Entry, name: string): boolean {
  const folder = entry.fileName.slice(0, entry.fileName.lastIndexOf('/') + 1);
  return entries.some((other) => other.fileName === folder + name);
}

function chosen(entry: Entry, count: number): UnpackWarning {
  const message = `Opened ${visibleText(entry.fileName)}, the one capture among the ${count} files of the archive.`;
  return { code: 'zip-chosen', message, position: null, damage: false };
}

function noCapture() {
  return engineError('zip-no-capture', 'No file in this archive looks like a capture.', UNPACK);
}

function severalCaptures(entries: readonly Entry[]) {
  const names = entries.slice(0, 5).map((entry) => visibleText(entry.fileName));
  const more = entries.length > names.length ? ', …' : '';
  const message = `This archive holds ${entries.length} captures: ${names.join(', ')}${more}.`;
  return engineError('zip-several-captures', message, UNPACK);
}

function asDamaged(error: unknown): never {
  if (error instanceof EngineError) throw error;
  const reason = error instanceof Error ? error.message : String(error);
  const message = `This zip archive cannot be read: ${reason}.`;
  throw engineError('zip-damaged', message, 'Copy it again from where it was recorded.');
}
