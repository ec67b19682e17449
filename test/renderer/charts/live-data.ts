import type { LiveBlocksResult, SeriesColumns } from '../../../app/contract/engine.ts';

/** Stacks written as one list of runs a column: [block, site, bytes, count]. */
export type Run = readonly [block: number, site: number, bytes: number, count?: number];

export function liveOf(columns: readonly (readonly Run[])[]): LiveBlocksResult {
  const runs = columns.flat();
  let first = 0;
  return {
    window: { axis: 'event', from: 0, to: columns.length, columns: columns.length },
    moment: Int32Array.from(columns, (_, index) => index),
    firstRun: Uint32Array.from([
      ...columns.map((column) => {
        first += column.length;
        return first - column.length;
      }),
      runs.length,
    ]),
    block: Uint32Array.from(runs, (run) => run[0]),
    site: Uint16Array.from(runs, (run) => run[1]),
    bytes: Float64Array.from(runs, (run) => run[2]),
    blockCount: Uint32Array.from(runs, (run) => run[3] ?? 1),
  };
}

export function steady(values: readonly number[]): SeriesColumns {
  return {
    min: Float64Array.from(values),
    max: Float64Array.from(values),
    last: Float64Array.from(values),
  };
}

/** A generator of whole numbers below a bound, the same for the same seed. */
export function seeded(seed: number): (bound: number) => number {
  let state = seed >>> 0;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
