import { create } from 'zustand';
import type { Engine, ProgressInfo, Source, TraceInfo } from '../../app/contract/engine.ts';
import { EngineError } from '../../app/contract/error.ts';
import type { ChosenFile } from '../engine/platform.ts';
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
  try {
    const source = await file.source(controller.signal, (sent) => change(id, { sent }));
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
    if (controller.signal.aborted || error.code === 'cancelled') dismissOpening(id);
    else change(id, { error });
    return error;
  }
}
