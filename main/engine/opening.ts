import type { EngineError } from '../../app/contract/error.ts';
import { cancelled, engineError } from './errors.ts';
import type { NativeOpening, NativeTrace } from './native.ts';
import type { Unpacked } from './unpack/unpack.ts';

/** What opening one file and opening a set of them share. */

/** Starts an opening of the addon and ends it when the signal aborts. Errors: those of the addon, "cancelled". */
export async function runOpening(
  start: () => NativeOpening,
  signal: AbortSignal | undefined,
): Promise<NativeTrace> {
  const isAborted = () => signal?.aborted === true;
  if (isAborted()) throw cancelled();
  const opening = start();
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

/** Says what a file is that nobody can read, where its packing or its name tells. */
export function explained(error: EngineError, unpacked: Unpacked, name: string): EngineError {
  if (unpacked.isCheckpoint) return asCheckpoint(error);
  return isProfilerReport(name) ? asProfilerReport(error) : error;
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
