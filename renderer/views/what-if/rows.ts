import type { RunSummary, SimulatorInfo } from '../../../app/contract/simulation.ts';
import type { Recording } from '../../../app/domain/runs.ts';
import type { Bytes } from '../../../app/domain/units.ts';
import type { Place, RunEntry } from './what-if-store.ts';

/** The order of the table and of the pictures: the recorded settings, then each group as ranked. */
export interface Rows {
  /** The recording itself, where no run has its settings. */
  readonly recording: Recording | null;
  readonly replays: readonly RunEntry[];
  /** Other settings of the recording's own allocator. */
  readonly own: readonly RunEntry[];
  readonly others: readonly RunEntry[];
  readonly models: readonly RunEntry[];
}

export type GroupName = 'own' | 'others' | 'models';
export const GROUPS: readonly GroupName[] = ['own', 'others', 'models'];

export function rowsOf(
  { recording, runs }: Pick<Place, 'recording' | 'runs'>,
  simulators: readonly SimulatorInfo[],
  own: string | null,
): Rows {
  const names = new Set(simulators.filter((one) => one.isModel).map((one) => one.name));
  const isModel = (run: RunEntry) => names.has(run.request.allocator);
  const isReplay = (run: RunEntry) => run.summary !== null && run.summary.reproduces !== null;
  const replays = runs.filter(isReplay);
  const others = runs.filter((run) => !isModel(run) && !isReplay(run));
  return {
    recording: replays.length === 0 ? recording : null,
    replays,
    own: others.filter((run) => run.request.allocator === own),
    others: others.filter((run) => run.request.allocator !== own),
    models: runs.filter((run) => isModel(run) && !isReplay(run)),
  };
}

/** In the order in which the arrow keys walk them. */
export function walkOf(rows: Rows): readonly RunEntry[] {
  return [...rows.replays, ...rows.own, ...rows.others, ...rows.models];
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
