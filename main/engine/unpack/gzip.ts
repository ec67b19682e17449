import { createReadStream, statSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { engineError } from '../errors.ts';
import { damage, type Layer, type LayerOptions } from './layer.ts';
import { pour } from './pour.ts';

const READ_BYTES = 256 * 1024;
/** When zlib meets damage it drops the chunk it was filling, so this much is lost at most. */
const CHUNK_BYTES = 64 * 1024;

/** Unpacks a gzip file, all of its members. What a damaged one still yields is kept. Errors: "gzip-damaged". */
export async function gunzip(packed: string, target: string, options: LayerOptions): Promise<Layer> {
  const total = statSync(packed).size;
  const input = createReadStream(packed, { highWaterMark: READ_BYTES });
  const inflate = createGunzip({ chunkSize: CHUNK_BYTES });
  input.on('error', (error) => inflate.destroy(error));
  input.pipe(inflate);
  try {
    const guard = (written: number) => {
      options.guard(written);
      options.onProgress(inflate.bytesWritten, total);
    };
    const { written, failure } = await pour(inflate, target, { signal: options.signal, guard });
    if (failure === null) return { warnings: [], isCheckpoint: false };
    return { warnings: [salvaged(failure, written, inflate.bytesWritten)], isCheckpoint: false };
  } finally {
    input.destroy();
  }
}

function salvaged(failure: NodeJS.ErrnoException, written: number, byte: number) {
  if (failure.code === 'Z_BUF_ERROR') {
    if (written === 0) throw refusal('This gzip file ends before its first data.', byte);
    return damage('gzip-truncated', `The gzip file is cut off at byte ${byte}.`, byte);
  }
  if (failure.code !== 'Z_DATA_ERROR') throw failure;
  if (written === 0) throw refusal('This gzip file is damaged before anything could be read from it.', byte);
  return damage('gzip-damaged', `The gzip file is damaged near byte ${byte}: ${failure.message}.`, byte);
}

function refusal(message: string, byte: number) {
  return engineError('gzip-damaged', message, 'Copy it again from where it was recorded.', { byte });
}
