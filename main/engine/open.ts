import type { CallOptions, Source, Stage, TraceInfo } from '../../app/contract/engine.ts';
import { loadAddon } from './addon.ts';
import { toEngineError } from './errors.ts';
import { locate, type TakeUpload } from './locate.ts';
import { refuseFolder } from './log-folder.ts';
import type { NativeTrace } from './native.ts';
import { openSet } from './open-set.ts';
import { explained, runOpening } from './opening.ts';
import type { Traces } from './traces.ts';
import { type Unpacked, unpack } from './unpack/unpack.ts';

/**
 * Opens a capture of any source. Errors: those of unpack.ts, of the addon, of open-set.ts, "no-such-upload",
 * "cancelled".
 */
export async function open(
  traces: Traces,
  takeUpload: TakeUpload,
  source: Source,
  options: CallOptions,
): Promise<TraceInfo> {
  if (source.kind === 'set') return openSet(traces, takeUpload, source.files, options);
  const file = locate(source, takeUpload);
  if (source.kind === 'path') await refuseFolder(file.path);
  try {
    const unpacked = await unpack(file.path, {
      signal: options.signal,
      onProgress: (done, total) => options.onProgress?.({ stage: 'unpack', done, total, events: 0 }),
    });
    const native = await openUnpacked(unpacked, file.name, options);
    const origin = { name: file.name, path: file.shownPath, source, fileBytes: unpacked.packedBytes };
    return traces.add(native, origin, unpacked.warnings, () => file.release()).info;
  } catch (error) {
    file.release();
    throw error;
  }
}

async function openUnpacked(unpacked: Unpacked, name: string, options: CallOptions): Promise<NativeTrace> {
  try {
    return await openNative(unpacked.path, options);
  } catch (error) {
    throw explained(toEngineError(error), unpacked, name);
  } finally {
    unpacked.remove();
  }
}

function openNative(path: string, { signal, onProgress }: CallOptions): Promise<NativeTrace> {
  return runOpening(
    () =>
      loadAddon().open(path, (stage, done, total, events) =>
        onProgress?.({ stage: stage as Stage, done, total, events }),
      ),
    signal,
  );
}
