import type { Range } from '../../state/store.ts';

/** Rows of a table over a window: equal steps of a round length. */
export interface Steps {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** ns. */
  readonly step: number;
}

const MOST_STEPS = 2000;
const SHORTEST = 1e6;

/** The shortest round step, no shorter than samples lie apart, with which a window has at most 2,000 rows. */
export function stepsOf({ from, to }: Range, period: number): Steps {
  const least = Math.max(period, SHORTEST, (to - from) / (MOST_STEPS - 1));
  const power = 10 ** Math.floor(Math.log10(least));
  // half a percent: a period of 1e9 / hz is not quite round itself
  const step =
    [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= least * 0.995) ?? 10 * power;
  const first = Math.floor(from / step);
  const count = Math.max(1, Math.ceil(to / step) - first);
  return { from: first * step, to: (first + count) * step, count, step };
}
