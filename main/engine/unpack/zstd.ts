import { createReadStream, statSync } from 'node:fs';
import { Transform, type TransformCallback } from 'node:stream';
import { Decompress, type ZstdError, ZstdErrorCode } from 'fzstd';
import { engineError } from '../errors.ts';
import { damage, type Layer, type LayerOptions } from './layer.ts';
import { pour } from './pour.ts';

const READ_BYTES = 256 * 1024;

/**
 * Unpacks a zstd file, all of its frames. What a damaged one still yields is kept; checksums are not compared.
 * Errors: "zstd-damaged".
 */
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
    if (failure === null) return { warnings: [], isCheckpoint: false };
    return { warnings: [salvaged(failure, written, inflate.bytesRead)], isCheckpoint: false };
  } finally {
    input.destroy();
  }
}

/** fzstd calls back with what each push yields; a stream hands that on with back-pressure. */
class ZstdStream extends Transform {
  bytesRead = 0;
  readonly #inflate = new Decompress((chunk) => {
    if (chunk.length > 0) this.push(chunk);
  });

  override _transform(chunk: Uint8Array, _encoding: string, done: TransformCallback): void {
    this.bytesRead += chunk.length;
    this.#feed(chunk, false, done);
  }

  override _flush(done: TransformCallback): void {
    this.#feed(new Uint8Array(), true, done);
  }

  #feed(chunk: Uint8Array, isLast: boolean, done: TransformCallback): void {
    try {
      this.#inflate.push(chunk, isLast);
      done();
    } catch (error) {
      done(error as Error);
    }
  }
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
    ? damage('zstd-truncated', `The zstd file is cut off at byte ${byte}.`, byte)
    : damage('zstd-damaged', `The zstd file is damaged near byte ${byte}.`, byte);
}

function refusal(message: string, byte: number) {
  return engineError('zstd-damaged', message, 'Unpack it with "zstd -d", or copy it again.', { byte });
}
