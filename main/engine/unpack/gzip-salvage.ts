import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { formatCount } from '../../../app/domain/format.ts';
import { damage, type LayerOptions, type UnpackWarning } from './layer.ts';
import { pour } from './pour.ts';

/*
 * A gzip file is a row of members. Whatever goes wrong, zlib drops all that it unpacked of the piece it was given
 * last; so a file with damage is unpacked once more, member by member, and the piece with the damage in crumbs.
 *
 *   header | deflated data | CRC-32, size || header | … || anything else
 *
 * Source: RFC 1952.
 */

const PIECE_BYTES = 64 * 1024;
const CRUMB_BYTES = 16;
const HEADER_BYTES = 10;
/** Header fields of variable length, names and comments, are looked for this far. */
const MOST_HEADER_BYTES = 64 * 1024 + 64;
const TRAILER_BYTES = 8;
const HAS_HEADER_CHECKSUM = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;

/** Missing before Node 20.15; checksums are not compared there. */
const crc32: typeof zlib.crc32 | undefined = zlib.crc32;

interface Salvaged {
  readonly written: number;
  readonly warnings: readonly UnpackWarning[];
}

/** Unpacks all that a damaged gzip file yields, to the byte, and says where the damage is. */
export async function salvageGzip(packed: string, target: string, options: LayerOptions): Promise<Salvaged> {
  const size = statSync(packed).size;
  const warnings: UnpackWarning[] = [];
  let written = 0;
  for (let at = 0; at < size; ) {
    const data = dataAt(packed, at);
    if (data === null) {
      warnings.push(...trailing(packed, at, size));
      break;
    }
    const member = await inflateMember({ packed, target, options, data, written, size });
    written += member.written;
    at = member.end;
    warnings.push(...member.warnings);
    if (member.isBroken) break;
  }
  return { written, warnings };
}

/** Behind a member zeros are padding; anything else is told of. */
function trailing(packed: string, at: number, size: number): readonly UnpackWarning[] {
  const rest = readAt(packed, at, PIECE_BYTES);
  if (rest.every((byte) => byte === 0)) return [];
  const extra = size - at;
  const what = extra === 1 ? 'follows 1 byte that does' : `follow ${formatCount(extra)} bytes that do`;
  const message =
    `Behind the end of the gzip data, from byte ${formatCount(at)} on, ${what} not belong to it; ` +
    (extra === 1 ? 'it is left out.' : 'they are left out.');
  return [{ code: 'gzip-trailing-data', message, position: { byte: at }, damage: false }];
}

/** Where the deflated data of the member at a place begin; null when there is no member. */
function dataAt(packed: string, at: number): number | null {
  const head = readAt(packed, at, MOST_HEADER_BYTES);
  const isMember = head.length > HEADER_BYTES && head.readUInt16BE(0) === 0x1f8b && head[2] === 8;
  if (!isMember) return null;
  const flags = head[3] as number;
  let end = HEADER_BYTES;
  if ((flags & HAS_EXTRA) !== 0) end += 2 + (end + 2 <= head.length ? head.readUInt16LE(end) : 0);
  for (const flag of [HAS_NAME, HAS_COMMENT]) {
    if ((flags & flag) === 0) continue;
    const zero = head.indexOf(0, end);
    if (zero < 0) return null;
    end = zero + 1;
  }
  if ((flags & HAS_HEADER_CHECKSUM) !== 0) end += 2;
  return at + end;
}

interface Place {
  readonly packed: string;
  readonly target: string;
  readonly options: LayerOptions;
  readonly data: number;
  /** Bytes of the members before. */
  readonly written: number;
  readonly size: number;
}

interface Member {
  readonly written: number;
  readonly end: number;
  readonly warnings: readonly UnpackWarning[];
  readonly isBroken: boolean;
}

async function inflateMember(place: Place): Promise<Member> {
  const first = await inflate(place, Number.POSITIVE_INFINITY);
  if (first.failure === null) return closed(place, first);
  const again = await inflate(place, first.consumed);
  const byte = place.data + again.consumed;
  const isCut = (again.failure as NodeJS.ErrnoException | null)?.code === 'Z_BUF_ERROR';
  const warning = isCut
    ? damage('gzip-truncated', `The gzip file is cut off at byte ${formatCount(place.size)}.`, place.size)
    : damage(
        'gzip-damaged',
        `The gzip file is damaged near byte ${formatCount(byte)}: ${again.failure?.message}.`,
        byte,
      );
  return { written: again.written, end: byte, warnings: [warning], isBroken: true };
}

/** Compares what stands behind the data: a checksum, and the size modulo 2^32. */
function closed(place: Place, { written, consumed, checksum }: Inflated): Member {
  const at = place.data + consumed;
  const end = at + TRAILER_BYTES;
  const trailer = readAt(place.packed, at, TRAILER_BYTES);
  if (trailer.length < TRAILER_BYTES) {
    const message = `The gzip file is cut off at byte ${formatCount(place.size)}, inside its checksum.`;
    const warnings = [damage('gzip-truncated', message, place.size)];
    return { written, end, warnings, isBroken: true };
  }
  const isRight =
    (checksum === null || trailer.readUInt32LE(0) === checksum) &&
    trailer.readUInt32LE(4) === written % 2 ** 32;
  if (isRight) return { written, end, warnings: [], isBroken: false };
  const message = `The checksum of the gzip file at byte ${formatCount(at)} does not match its content.`;
  return { written, end, warnings: [damage('gzip-checksum', message, at)], isBroken: false };
}

interface Inflated {
  readonly written: number;
  /** Bytes of the packed file; after a failure those of the pieces before the one that failed. */
  readonly consumed: number;
  readonly checksum: number | null;
  readonly failure: Error | null;
}

/** Unpacks the data of one member behind what is there already; from a place on in crumbs. */
async function inflate(place: Place, crumbsFrom: number): Promise<Inflated> {
  const { packed, target, options, data, written: before, size } = place;
  const stream = zlib.createInflateRaw({ chunkSize: PIECE_BYTES });
  const input = Readable.from(piecesOf(packed, data, crumbsFrom), { objectMode: false });
  input.on('error', (error) => stream.destroy(error));
  input.pipe(stream);
  let checksum = 0;
  const guard = (written: number, chunk: Uint8Array) => {
    if (crc32 !== undefined) checksum = crc32(chunk, checksum);
    options.guard(before + written);
    options.onProgress(Math.min(size, data + stream.bytesWritten), size);
  };
  try {
    const { written, failure } = await pour(stream, target, { signal: options.signal, guard, from: before });
    return {
      written,
      consumed: stream.bytesWritten,
      checksum: crc32 === undefined ? null : checksum,
      failure,
    };
  } finally {
    input.destroy();
  }
}

function* piecesOf(packed: string, from: number, crumbsFrom: number): Generator<Buffer> {
  const file = openSync(packed, 'r');
  try {
    for (let read = 0; ; ) {
      const isCrumb = read >= crumbsFrom;
      const wanted = isCrumb ? CRUMB_BYTES : Math.min(PIECE_BYTES, crumbsFrom - read);
      const piece = Buffer.alloc(wanted);
      const bytes = readSync(file, piece, 0, wanted, from + read);
      if (bytes === 0) return;
      read += bytes;
      yield piece.subarray(0, bytes);
    }
  } finally {
    closeSync(file);
  }
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
