/*
 * A zstd file is a row of frames; one of content may end in a checksum of it.
 *
 *   magic, descriptor, … | block | block | … [checksum] || skippable magic, size | anything || …
 *   block: 3 bytes, little endian: is last (1 bit), kind (2 bits), size (21 bits); then as many bytes, or 1 of a run
 *
 * Source: RFC 8878, 3.1.
 */

const MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const MAGIC_BYTES = 4;
const SKIPPABLE_HEADER_BYTES = 8;
const BLOCK_HEADER_BYTES = 3;
const CHECKSUM_BYTES = 4;
const RUN = 1;
const DICTIONARY_BYTES = [0, 1, 2, 4];

/** A part of a frame, never of two. */
export interface FramePiece {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
  /** Where the checksum stands in the file, and what it is; of the last piece of a frame that has one. */
  readonly checksum: { readonly byte: number; readonly value: number } | null;
}

type State = 'frame' | 'block' | 'checksum' | 'end' | 'skipped' | 'unknown';

/** Cuts the bytes of a zstd file, as they come, where its frames end. Skippable frames are left out. */
export class FrameCutter {
  #state: State = 'frame';
  /** Bytes of a field of which more is still to come. */
  #rest: Buffer = Buffer.alloc(0);
  #toPass = 0;
  #hasChecksum = false;
  #checksum: FramePiece['checksum'] = null;
  /** Of the bytes being cut, in the file. */
  #offset = 0;

  *cut(chunk: Uint8Array): Generator<FramePiece> {
    const data = Buffer.concat([this.#rest, chunk]);
    let from = 0;
    let at = 0;
    for (;;) {
      const passed = Math.min(this.#toPass, data.length - at);
      at += passed;
      this.#toPass -= passed;
      if (this.#toPass > 0) break;
      if (this.#state === 'end')
        yield { bytes: data.subarray(from, at), isLast: true, checksum: this.#checksum };
      if (this.#state === 'end' || this.#state === 'skipped') {
        from = at;
        this.#state = 'frame';
      }
      const read = this.#read(data, at);
      if (read === 0) break;
      at += read;
    }
    if (at > from && this.#state !== 'skipped') {
      yield { bytes: data.subarray(from, at), isLast: false, checksum: null };
    }
    this.#rest = data.subarray(at);
    this.#offset += at;
  }

  /** What is left when the file ends: part of a field, which a whole file does not have. */
  *finish(): Generator<FramePiece> {
    if (this.#rest.length > 0) yield { bytes: this.#rest, isLast: false, checksum: null };
  }

  /** Reads the field that is next; answers its bytes, 0 when they have not all come. */
  #read(data: Buffer, at: number): number {
    switch (this.#state) {
      case 'frame':
        return this.#readFrameHeader(data, at);
      case 'block':
        return this.#readBlockHeader(data, at);
      case 'checksum':
        return this.#readChecksum(data, at);
      default:
        return data.length - at; // no frame: whoever unpacks it says so
    }
  }

  #readFrameHeader(data: Buffer, at: number): number {
    const left = data.length - at;
    if (left <= MAGIC_BYTES) return 0;
    const magic = data.readUInt32LE(at);
    if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC) {
      if (left < SKIPPABLE_HEADER_BYTES) return 0;
      this.#toPass = data.readUInt32LE(at + MAGIC_BYTES);
      this.#state = 'skipped';
      return SKIPPABLE_HEADER_BYTES;
    }
    if (magic !== MAGIC) {
      this.#state = 'unknown';
      return left;
    }
    const descriptor = data[at + MAGIC_BYTES] as number;
    const isSingleSegment = (descriptor >> 5) & 1;
    const sizeFlag = descriptor >> 6;
    const sizeBytes = sizeFlag === 0 ? isSingleSegment : 1 << sizeFlag;
    const bytes = 6 - isSingleSegment + (DICTIONARY_BYTES[descriptor & 3] as number) + sizeBytes;
    if (left < bytes) return 0;
    this.#hasChecksum = ((descriptor >> 2) & 1) === 1;
    this.#checksum = null;
    this.#state = 'block';
    return bytes;
  }

  #readBlockHeader(data: Buffer, at: number): number {
    if (data.length - at < BLOCK_HEADER_BYTES) return 0;
    const header = data.readUIntLE(at, BLOCK_HEADER_BYTES);
    const isLast = (header & 1) === 1;
    this.#toPass = ((header >> 1) & 3) === RUN ? 1 : header >> 3;
    if (isLast) this.#state = this.#hasChecksum ? 'checksum' : 'end';
    return BLOCK_HEADER_BYTES;
  }

  #readChecksum(data: Buffer, at: number): number {
    if (data.length - at < CHECKSUM_BYTES) return 0;
    this.#checksum = { byte: this.#offset + at, value: data.readUInt32LE(at) };
    this.#state = 'end';
    return CHECKSUM_BYTES;
  }
}
