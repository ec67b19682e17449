import type { RunSummary, SimulatorInfo } from '../../../app/contract/simulation.ts';
import type { Recording } from '../../../app/domain/runs.ts';
import type { Bytes } from '../../../app/domain/units.ts';
import type { Place, RunEntry } from './what-if-store.ts';

/** The order of the table and of the pictures: the recorded settings, then the runs as ranked, then models. */
export interface Rows {
  /** The recording itself, where no run has its settings. */
  readonly recording: Recording | null;
  readonly runs: readonly RunEntry[];
  readonly models: readonly RunEntry[];
}

export function rowsOf(
  { recording, runs }: Pick<Place, 'recording' | 'runs'>,
  simulators: readonly SimulatorInfo[],
): Rows {
  const names = new Set(simulators.filter((one) => one.isModel).map((one) => one.name));
  const isModel = (run: RunEntry) => names.has(run.request.allocator);
  const isReplay = (run: RunEntry) => run.summary !== null && run.summary.reproduces !== null;
  const others = runs.filter((run) => !isModel(run));
  const replays = others.filter(isReplay);
  return {
    recording: replays.length === 0 ? recording : null,
    runs: [...replays, ...others.filter((run) => !isReplay(run))],
    models: runs.filter(isModel),
  };
}

/** In the order in which the arrow keys walk them. */
export function walkOf(rows: Rows): readonly RunEntry[] {
  return [...rows.runs, ...rows.models];
}

/** Peaks further above the recording's than this are cut, so that one run does not flatten all others. */
const MOST_TIMES = 2.5;

export interface SharedScale {
  /** The bytes at the full length of a bar, and at the top of every picture. */
  readonly top: Bytes;
}

/** One scale for every bar and every picture: the largest peak, or the device where that is near. */
export function sharedScale(recording: Recording | null, runs: readonly RunEntry[]): SharedScale {
  const base = recording?.peakReserved ?? 0;
  const limit = MOST_TIMES * base;
  const peaks = runs.flatMap(({ summary, preview }) =>
    [summary, preview].flatMap((one) => (one === null ? [] : [one.peakReserved])),
  );
  const shown = [base, ...peaks].filter((peak) => base === 0 || peak <= limit);
  const device = recording?.capacity ?? null;
  const largest = Math.max(1, ...shown);
  return { top: device !== null && device <= 1.3 * largest ? Math.max(device, largest) : largest };
}

/** Fragmentation at the peak, as the columns beside it say: 1 − largest hole / free; null when nothing is free. */
export function fragmentationAtPeak(
  run: Pick<RunSummary, 'freeAtPeak' | 'largestFreeAtPeak'>,
): number | null {
  return run.freeAtPeak === 0 ? null : 1 - run.largestFreeAtPeak / run.freeAtPeak;
}
