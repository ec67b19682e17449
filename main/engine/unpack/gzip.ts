import { createReadStream, statSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { engineError } from '../errors.ts';
import { salvageGzip } from './gzip-salvage.ts';
import type { Layer, LayerOptions } from './layer.ts';
import { pour } from './pour.ts';

const READ_BYTES = 256 * 1024;

/**
 * Unpacks a gzip file, all of its members. What a damaged one still yields is kept, and so is everything before
 * data that does not belong to it. Errors: "gzip-damaged".
 */
export async function gunzip(packed: string, target: string, options: LayerOptions): Promise<Layer> {
  const total = statSync(packed).size;
  const input = createReadStream(packed, { highWaterMark: READ_BYTES });
  const inflate = createGunzip();
  input.on('error', (error) => inflate.destroy(error));
  input.pipe(inflate);
  try {
    const guard = (written: number) => {
      options.guard(written);
      options.onProgress(inflate.bytesWritten, total);
    };
    const { written, failure } = await pour(inflate, target, { signal: options.signal, guard });
    if (failure === null) return { warnings: [], isCheckpoint: false };
    return await keep(failure, written, { packed, target, options, byte: inflate.bytesWritten });
  } finally {
    input.destroy();
  }
}

interface Broken {
  readonly packed: string;
  readonly target: string;
  readonly options: LayerOptions;
  readonly byte: number;
}

async function keep(failure: NodeJS.ErrnoException, written: number, broken: Broken): Promise<Layer> {
  const { packed, target, options, byte } = broken;
  // Also what a single byte behind the data makes zlib say, which is looked at more closely.
  const isCut = failure.code === 'Z_BUF_ERROR';
  if (!isCut && failure.code !== 'Z_DATA_ERROR') throw failure;
  if (isCut && written === 0) throw refusal('This gzip file ends before its first data.', byte);
  const salvaged = await salvageGzip(packed, target, options);
  if (salvaged.written > 0) return { warnings: salvaged.warnings, isCheckpoint: false };
  throw refusal('This gzip file is damaged before anything could be read from it.', byte);
}

function refusal(message: string, byte: number) {
  return engineError('gzip-damaged', message, 'Copy it again from where it was recorded.', { byte });
}
