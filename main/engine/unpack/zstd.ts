import { createReadStream, statSync } from 'node:fs';
import { Transform, type TransformCallback } from 'node:stream';
import { Decompress, type ZstdError, ZstdErrorCode } from 'fzstd';
import { formatCount } from '../../../app/domain/format.ts';
import { loadAddon } from '../addon.ts';
import { engineError } from '../errors.ts';
import type { NativeContentHash } from '../native.ts';
import { damage, type Layer, type LayerOptions } from './layer.ts';
import { pour } from './pour.ts';
import { FrameCutter, type FramePiece } from './zstd-frames.ts';

const READ_BYTES = 256 * 1024;

/** Unpacks a zstd file, all of its frames. What a damaged one still yields is kept. Errors: "zstd-damaged". */
export async function unzstd(packed: string, target: string, options: LayerOptions): Promise<Layer> {
  const total = statSync(packed).size;
  const input = createReadStream(packed, { highWaterMark: READ_BYTES });
  const inflate = new ZstdStream();
  input.on('error', (error) => inflate.destroy(error));
  input.pipe(inflate);
  try {
    const guard = (written: number) => {
      options.guard(written);
      options.onProgress(inflate.bytesRead, total);
    };
    const { written, failure } = await pour(inflate, target, { signal: options.signal, guard });
    const mismatch = inflate.mismatchAt === null ? [] : [differs(inflate.mismatchAt)];
    if (failure === null) return { warnings: mismatch, isCheckpoint: false };
    return { warnings: [...mismatch, salvaged(failure, written, inflate.bytesRead)], isCheckpoint: false };
  } finally {
    input.destroy();
  }
}

/**
 * fzstd calls back with what each push yields; a stream hands that on with back-pressure. Each frame gets an unpacker
 * of its own, so that its content can be told apart and compared with its checksum.
 */
class ZstdStream extends Transform {
  bytesRead = 0;
  /** Where the first checksum stands that is not that of its frame. */
  mismatchAt: number | null = null;
  readonly #cutter = new FrameCutter();
  #frame: Frame | null = null;

  override _transform(chunk: Uint8Array, _encoding: string, done: TransformCallback): void {
    this.bytesRead += chunk.length;
    this.#feed(this.#cutter.cut(chunk), done);
  }

  override _flush(done: TransformCallback): void {
    this.#feed(this.#cutter.finish(), (error) => {
      if (error) return done(error);
      const cut = { bytes: new Uint8Array(), isLast: true, checksum: null };
      this.#feed(this.#frame === null ? [] : [cut], done);
    });
  }

  #feed(pieces: Iterable<FramePiece>, done: TransformCallback): void {
    try {
      for (const piece of pieces) this.#take(piece);
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  #take({ bytes, isLast, checksum }: FramePiece): void {
    this.#frame ??= this.#begin();
    const { inflate, hash } = this.#frame;
    inflate.push(bytes, isLast);
    if (!isLast) return;
    this.#frame = null;
    if (checksum !== null && checksum.value !== hash.low32()) this.mismatchAt ??= checksum.byte;
  }

  #begin(): Frame {
    const hash = new (loadAddon().ContentHash)();
    const inflate = new Decompress((chunk) => {
      if (chunk.length === 0) return;
      hash.update(chunk);
      this.push(chunk);
    });
    return { inflate, hash };
  }
}

interface Frame {
  readonly inflate: Decompress;
  readonly hash: NativeContentHash;
}

function differs(byte: number) {
  const message = `The checksum of the zstd file at byte ${formatCount(byte)} does not match its content.`;
  return damage('zstd-checksum', message, byte);
}

function salvaged(failure: Error, written: number, byte: number) {
  const { code } = failure as ZstdError;
  if (!Object.values(ZstdErrorCode).includes(code)) throw failure;
  if (code === ZstdErrorCode.WindowSizeTooLarge) {
    throw refusal('This zstd file was packed with a window that is too large to unpack here.', byte);
  }
  const isCut = code === ZstdErrorCode.UnexpectedEOF;
  if (written === 0) {
    throw refusal(`This zstd file ${isCut ? 'ends' : 'is damaged'} before its first data.`, byte);
  }
  return isCut
    ? damage('zstd-truncated', `The zstd file is cut off at byte ${formatCount(byte)}.`, byte)
    : damage('zstd-damaged', `The zstd file is damaged near byte ${formatCount(byte)}.`, byte);
}

function refusal(message: string, byte: number) {
  return engineError('zstd-damaged', message, 'Unpack it with "zstd -d", or copy it again.', { byte });
}
