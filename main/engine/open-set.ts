import { statSync } from 'node:fs';
import type { CallOptions, FileSource, RefusedPart, Stage, TraceInfo } from '../../app/contract/engine.ts';
import type { EngineError } from '../../app/contract/error.ts';
import type { ReportWarning } from '../../app/contract/report.ts';
import { distinctNames, setName } from '../../app/domain/ranks.ts';
import { loadAddon } from './addon.ts';
import { engineError, toEngineError } from './errors.ts';
import { type Located, locate, type TakeUpload } from './locate.ts';
import { explained, runOpening } from './opening.ts';
import type { SetOrigin, Traces } from './traces.ts';
import { type Unpacked, unpack } from './unpack/unpack.ts';

/** One file of a set on its way: located, then unpacked, or refused with an error. */
interface SetEntry {
  readonly name: string;
  readonly located: Located | null;
  unpacked: Unpacked | null;
  error: EngineError | null;
}

/**
 * Opens several files as one trace (native/trace/merge.h). A file that cannot be opened is told of in the trace and keeps
 * none of the others from opening. Errors: "set-nothing-opened" when all are refused, "cancelled".
 */
export async function openSet(
  traces: Traces,
  takeUpload: TakeUpload,
  files: readonly FileSource[],
  options: CallOptions,
): Promise<TraceInfo> {
  const entries = nameApart(files.map((file) => located(file, takeUpload)));
  const release = () => {
    for (const entry of entries) entry.located?.release();
  };
  try {
    await unpackAll(entries, options);
    const trace = await openUnpacked(traces, entries, files, options, release);
    if (trace !== null) return trace;
    throw nothingOpened(entries);
  } catch (error) {
    release();
    throw error;
  } finally {
    for (const entry of entries) entry.unpacked?.remove();
  }
}

function located(file: FileSource, takeUpload: TakeUpload): SetEntry {
  try {
    const found = locate(file, takeUpload);
    return { name: found.name, located: found, unpacked: null, error: null };
  } catch (error) {
    return { name: 'upload', located: null, unpacked: null, error: toEngineError(error) };
  }
}

function nameApart(entries: readonly SetEntry[]): readonly SetEntry[] {
  const names = distinctNames(entries.map(({ name, located: found }) => found?.shownPath ?? name));
  return entries.map((entry, at) => ({ ...entry, name: names[at] ?? entry.name }));
}

/** One after the other; the progress counts the packed bytes of all. */
async function unpackAll(entries: readonly SetEntry[], { signal, onProgress }: CallOptions): Promise<void> {
  const sizes = entries.map((entry) => (entry.located === null ? 0 : sizeOf(entry.located.path)));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let before = 0;
  for (const [at, entry] of entries.entries()) {
    const size = sizes[at] ?? 0;
    const start = before;
    before += size;
    if (entry.located === null) continue;
    try {
      entry.unpacked = await unpack(entry.located.path, {
        signal,
        onProgress: (done, own) =>
          onProgress?.({ stage: 'unpack', done: start + share(done, own) * size, total, events: 0 }),
      });
    } catch (caught) {
      const error = toEngineError(caught);
      if (error.code === 'cancelled') throw error;
      entry.error = error;
    }
  }
}

const share = (done: number, total: number) => (total > 0 ? Math.min(1, done / total) : 0);

/** For the progress alone: what is wrong with a file, `unpack` finds. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Null when no file could be read. */
async function openUnpacked(
  traces: Traces,
  entries: readonly SetEntry[],
  files: readonly FileSource[],
  { signal, onProgress }: CallOptions,
  release: () => void,
): Promise<TraceInfo | null> {
  const readable = entries.filter((entry) => entry.unpacked !== null);
  if (readable.length === 0) return null;
  const wanted = readable.map(({ name, unpacked }) => {
    const { path } = unpacked as Unpacked;
    return { path, name, bytes: sizeOf(path) };
  });
  const native = await runOpening(
    () =>
      loadAddon().openSet(wanted, (stage, done, total, events) =>
        onProgress?.({ stage: stage as Stage, done, total, events }),
      ),
    signal,
  );
  const facts = native.facts();
  for (const { file, code, message, remedy, byte } of facts.refused) {
    const entry = readable[file] as SetEntry;
    entry.error = refusalOf(entry, engineError(code, message, remedy, byte < 0 ? null : { byte }));
  }
  if (facts.parts.length === 0) {
    native.close();
    return null;
  }
  const opened = facts.parts.map(({ file }) => readable[file] as SetEntry);
  const set: SetOrigin = {
    files: opened.map(({ located: found, unpacked }) => ({
      path: found?.shownPath ?? null,
      fileBytes: unpacked?.packedBytes ?? 0,
    })),
    refused: entries.flatMap(refusedPart),
  };
  const names = opened.map(({ name }) => name);
  const origin = {
    name: setName(names),
    path: null,
    source: { kind: 'set', files } as const,
    fileBytes: set.files.reduce((sum, { fileBytes }) => sum + fileBytes, 0),
    set,
  };
  return traces.add(native, origin, opened.flatMap(warningsOf), release).info;
}

function refusalOf(entry: SetEntry, error: EngineError): EngineError {
  return entry.unpacked === null ? error : explained(error, entry.unpacked, entry.name);
}

function refusedPart({ name, error }: SetEntry): readonly RefusedPart[] {
  return error === null ? [] : [{ name, error: error.toJSON() }];
}

function warningsOf({ name, unpacked }: SetEntry): readonly ReportWarning[] {
  return (unpacked?.warnings ?? []).map((warning) => ({ ...warning, file: name }));
}

function nothingOpened(entries: readonly SetEntry[]): EngineError {
  const [first] = entries.flatMap(({ name, error }) => (error === null ? [] : [{ name, error }]));
  if (first === undefined) return engineError('internal', 'Something went wrong inside Strata.');
  if (entries.length === 1) return first.error;
  return engineError(
    'set-nothing-opened',
    `None of the ${entries.length} files could be opened. ${first.name}: ${first.error.message}`,
    first.error.remedy,
    first.error.position,
  );
}
