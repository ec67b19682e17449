import { basename } from 'node:path';
import type { CallOptions, Source, Stage, TraceInfo } from '../../app/contract/engine.ts';
import type { EngineError } from '../../app/contract/error.ts';
import { loadAddon } from './addon.ts';
import { cancelled, engineError, toEngineError } from './errors.ts';
import type { NativeTrace } from './native.ts';
import { samplePath } from './samples.ts';
import type { Traces } from './traces.ts';
import { type Unpacked, unpack } from './unpack/unpack.ts';

/** A file that a page handed over, until it is opened. */
export interface Upload {
  readonly path: string;
  /** As the user knows it. */
  readonly name: string;
  remove(): void;
}

/** Hands over an upload once; undefined when there is none of that id. */
export type TakeUpload = (id: string) => Upload | undefined;

/** Opens a capture of any source. Errors: those of unpack.ts, of the addon, "no-such-upload", "cancelled". */
export async function open(
  traces: Traces,
  takeUpload: TakeUpload,
  source: Source,
  options: CallOptions,
): Promise<TraceInfo> {
  const file = locate(source, takeUpload);
  try {
    const unpacked = await unpack(file.path, {
      signal: options.signal,
      onProgress: (done, total) => options.onProgress?.({ stage: 'unpack', done, total, events: 0 }),
    });
    const native = await openUnpacked(unpacked, file.name, options);
    const origin = { name: file.name, path: file.shownPath, source, fileBytes: unpacked.packedBytes };
    return traces.add(native, origin, unpacked.warnings).info;
  } finally {
    file.remove();
  }
}

interface Located extends Upload {
  /** Null when the path means nothing to the user. */
  readonly shownPath: string | null;
}

function locate(source: Source, takeUpload: TakeUpload): Located {
  if (source.kind === 'path') {
    return { path: source.path, name: basename(source.path), shownPath: source.path, remove() {} };
  }
  if (source.kind === 'sample') {
    return { path: samplePath(source.name), name: source.name, shownPath: null, remove() {} };
  }
  const upload = takeUpload(source.id);
  if (upload === undefined) {
    throw engineError('no-such-upload', 'This file is not here any more.', 'Drop it on the page again.');
  }
  return { ...upload, shownPath: null };
}

async function openUnpacked(unpacked: Unpacked, name: string, options: CallOptions): Promise<NativeTrace> {
  try {
    return await openNative(unpacked.path, options);
  } catch (error) {
    if (unpacked.isCheckpoint) throw asCheckpoint(toEngineError(error));
    throw isProfilerReport(name) ? asProfilerReport(toEngineError(error)) : error;
  } finally {
    unpacked.remove();
  }
}

async function openNative(path: string, { signal, onProgress }: CallOptions): Promise<NativeTrace> {
  const isAborted = () => signal?.aborted === true;
  if (isAborted()) throw cancelled();
  const opening = loadAddon().open(path, (stage, done, total, events) =>
    onProgress?.({ stage: stage as Stage, done, total, events }),
  );
  const cancel = () => opening.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    const native = await opening.promise;
    if (!isAborted()) return native;
    native.close();
    throw cancelled();
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

/** What torch.save writes can only be a snapshot if someone saved one with it; otherwise say what it is. */
function asCheckpoint(error: EngineError): EngineError {
  if (error.code === 'cancelled' || error.code === 'out-of-memory') return error;
  return engineError(
    'torch-checkpoint',
    'This file was written by torch.save: it holds a model or its state, not a memory snapshot.',
    'Record a snapshot with torch.cuda.memory._record_memory_history() and _dump_snapshot().',
  );
}

/** What Nsight Systems records; nothing but itself reads these files. */
function isProfilerReport(name: string): boolean {
  return /\.(nsys-rep|qdrep|qdstrm)$/i.test(name);
}

function asProfilerReport(error: EngineError): EngineError {
  if (error.code === 'cancelled' || error.code === 'out-of-memory') return error;
  return engineError(
    'nsight-report',
    'This is a report of Nsight Systems, which only Nsight Systems itself can read.',
    'Export it: nsys export --type=sqlite REPORT.nsys-rep, and open the .sqlite file.',
  );
}
