import { create } from 'zustand';
import type { Engine, FileSource, ProgressInfo, Source, TraceInfo } from '../../app/contract/engine.ts';
import { EngineError } from '../../app/contract/error.ts';
import { groupRanks, setName } from '../../app/domain/ranks.ts';
import type { ChosenFile } from '../engine/platform.ts';
import { useFrame } from './frame.ts';
import { type TraceState, useStore } from './store.ts';

/** Captures that are being opened, or could not be. */
export interface Opening {
  readonly id: number;
  readonly name: string;
  readonly bytes: number | null;
  /** Bytes that reached the server, while a file is handed over. */
  readonly sent: number | null;
  readonly progress: ProgressInfo | null;
  readonly error: EngineError | null;
  cancel(): void;
}

interface OpeningsState {
  readonly openings: readonly Opening[];
}

export const useOpenings = create<OpeningsState>()(() => ({ openings: [] }));

let lastId = 0;

function change(id: number, part: Partial<Opening>): void {
  useOpenings.setState(({ openings }) => ({
    openings: openings.map((one) => (one.id === id ? { ...one, ...part } : one)),
  }));
}

export function dismissOpening(id: number): void {
  useOpenings.setState(({ openings }) => ({ openings: openings.filter((one) => one.id !== id) }));
}

export function asEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  return new EngineError({ code: 'internal', message: String(error), remedy: '', position: null });
}

/** A source that is known already, as a file. */
export function knownFile(source: Source, name: string): ChosenFile {
  return { name, bytes: null, source: async () => source };
}

/** Something that was chosen and cannot be opened: it ends where other refusals do. */
export function refusedFile(name: string, error: EngineError): ChosenFile {
  return { name, bytes: null, source: () => Promise.reject(error) };
}

/** As the engine says it of a folder on its own machine. */
export function noProfilesIn(folder: string): EngineError {
  return new EngineError({
    code: 'file-is-folder',
    message: `${folder} is a folder without profiles.`,
    remedy:
      'Drop a capture from it, or a log directory of TensorBoard or JAX, which has plugins/profile in it.',
    position: null,
  });
}

export type OpenResult = TraceInfo | EngineError;

/** What a trace shows first: the device with the highest peak, at that peak. */
export function startingPoint(info: TraceInfo): Pick<TraceState, 'device' | 'cursor' | 'mapRegion'> {
  const peaks = info.devices.map((device) => device.peakReserved);
  const device = Math.max(0, peaks.indexOf(Math.max(...peaks)));
  const active = info.devices[device];
  const regions = active?.regions ?? [];
  return {
    device,
    cursor: active?.peakEvent ?? -1,
    mapRegion: regions.includes('pooled') ? 'pooled' : (regions.at(-1) ?? 'pooled'),
  };
}

/** Several files as one, which is opened as one trace; they are handed over one after the other. */
export function togetherAs(files: readonly ChosenFile[]): ChosenFile {
  const bytes = files.some((file) => file.bytes === null)
    ? null
    : files.reduce((sum, file) => sum + (file.bytes ?? 0), 0);
  return {
    name: setName(files.map((file) => file.name)),
    bytes,
    source: async (signal, onSent) => {
      const sources: FileSource[] = [];
      let before = 0;
      for (const file of files) {
        const start = before;
        const source = await file.source(signal, (sent) => onSent(start + sent));
        sources.push(...filesOf(source));
        before += file.bytes ?? 0;
      }
      return { kind: 'set', files: sources };
    },
  };
}

/** The files behind a source. */
export function filesOf(source: Source): readonly FileSource[] {
  return source.kind === 'set' ? source.files : [source];
}

/** Files that look like the ranks of one run open as one trace, all others each as its own. */
export async function openMany(engine: Engine, files: readonly ChosenFile[]): Promise<void> {
  const groups = groupRanks(files.map((file) => file.name));
  const opened = await Promise.all(
    groups.map((group) => {
      const own = group.map((at) => files[at] as ChosenFile);
      const [only] = own;
      return own.length === 1 && only !== undefined
        ? openFile(engine, only)
        : openGuessed(engine, togetherAs(own));
    }),
  );
  const traces = showInOrder(opened);
  if (traces.length >= 2) useFrame.getState().setOpenedApart(traces);
}

/** Files are opened side by side, and stand in their own order whichever was ready first; the first is shown. */
function showInOrder(opened: readonly OpenResult[]): readonly string[] {
  const traces = opened.flatMap((one) => (one instanceof EngineError ? [] : [one.trace]));
  useStore.getState().arrange(traces);
  return traces;
}

async function openGuessed(engine: Engine, set: ChosenFile): Promise<OpenResult> {
  const opened = await openFile(engine, set);
  if (!(opened instanceof EngineError)) useFrame.getState().guessSet(opened.trace);
  return opened;
}

/** Each file of a set as a trace of its own. */
export async function openSeparately(engine: Engine, { source, name, parts }: TraceInfo): Promise<void> {
  if (source.kind !== 'set') return;
  const nameOf = (file: FileSource) =>
    file.kind === 'path' ? file.path : file.kind === 'sample' ? file.name : null;
  const opened = await Promise.all(
    source.files.map((file, at) =>
      openFile(engine, knownFile(file, nameOf(file)?.split(/[\\/]/).at(-1) ?? parts[at]?.name ?? name)),
    ),
  );
  showInOrder(opened);
}

/** A log directory is no capture, but holds some: the user chooses. */
async function offerRunsOf(engine: Engine, source: Source | null): Promise<void> {
  if (source?.kind !== 'path') return;
  const found = await engine.call('profileRuns', { path: source.path });
  useFrame.getState().offerRuns({
    ...found,
    file: (file) => knownFile({ kind: 'path', path: file.path }, nameOf(file.path)),
  });
}

/** A profile is called after its host, which says little without its run. */
function nameOf(path: string): string {
  return path.split(/[\\/]/).slice(-2).join('/');
}

/** Opens a capture and shows it; what goes wrong stays on Start, and in a banner elsewhere, until it is dismissed. */
export async function openFile(
  engine: Engine,
  file: ChosenFile,
  place: Partial<Omit<TraceState, 'info'>> = {},
): Promise<OpenResult> {
  const id = ++lastId;
  const controller = new AbortController();
  const opening: Opening = {
    id,
    name: file.name,
    bytes: file.bytes,
    sent: null,
    progress: null,
    error: null,
    cancel: () => controller.abort(),
  };
  useOpenings.setState(({ openings }) => ({ openings: [...openings, opening] }));
  useStore.getState().activate(null);
  let source: Source | null = null;
  try {
    source = await file.source(controller.signal, (sent) => change(id, { sent }));
    const info = await engine.call(
      'open',
      { source },
      { signal: controller.signal, onProgress: (progress) => change(id, { progress }) },
    );
    dismissOpening(id);
    useStore.getState().addTrace(info, startingPoint(info));
    useStore.getState().update(info.trace, place);
    return info;
  } catch (caught) {
    const error = asEngineError(caught);
    if (error.code === 'folder-of-runs') {
      dismissOpening(id);
      await offerRunsOf(engine, source);
      return error;
    }
    if (controller.signal.aborted || error.code === 'cancelled') dismissOpening(id);
    else change(id, { error });
    return error;
  }
}
