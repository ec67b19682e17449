import { tickStep } from 'd3';
import type { ColumnScale } from './columns.ts';

const UNITS = [1, 2 ** 10, 2 ** 20, 2 ** 30, 2 ** 40, 2 ** 50] as const;
const NAMES = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

export interface ByteTick {
  readonly value: number;
  readonly number: string;
  readonly unit: string;
}

/** A byte axis from 0: one unit for all of its labels. */
export interface ByteAxis {
  /** Value at the top of the lane. */
  readonly top: number;
  readonly ticks: readonly ByteTick[];
}

/**
 * Round steps in the unit of the largest value. The top is a multiple of half a step, so that a lane's scale stays put
 * while the window moves a little.
 */
export function byteAxis(largest: number, height: number): ByteAxis {
  if (!(largest > 0)) return { top: 1, ticks: [] };
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, largest)) / 10));
  const unit = UNITS[power] as number;
  const count = Math.max(2, Math.min(5, Math.round(height / 56)));
  const step = Math.max(power === 0 ? 1 : 0, tickStep(0, largest / unit, count));
  const top = Math.ceil((largest / unit / step) * 2 - 1e-9) / 2;
  const ticks: ByteTick[] = [];
  for (let index = 1; index <= top + 1e-9; index++) {
    const value = Number((index * step).toPrecision(6));
    ticks.push({ value: value * unit, number: String(value), unit: NAMES[power] as string });
  }
  return { top: top * step * unit, ticks };
}

/** The largest value that can be seen, with the column where it stands. */
export function largestVisible(
  values: ArrayLike<number>,
  columns: ColumnScale,
): { value: number; column: number } {
  let value = 0;
  let at = columns.first;
  for (let column = columns.first; column < columns.end; column++) {
    if ((values[column] as number) > value) {
      value = values[column] as number;
      at = column;
    }
  }
  return { value, column: at };
}

/** A lane that would be flat because of a short, high stretch is cut below it, and says so. */
export interface CutScale {
  readonly largest: number;
  /** Columns above the cut, with the highest value among them; null when nothing is cut. */
  readonly cut: {
    readonly value: number;
    readonly column: number;
    readonly first: number;
    readonly end: number;
  } | null;
}

/** Columns that may be cut away at most, and how much higher than the rest they must be. */
const CUT_SHARE = 0.15;
const CUT_FACTOR = 2;

export function cutScale(values: ArrayLike<number>, columns: ColumnScale): CutScale {
  const highest = largestVisible(values, columns);
  const count = columns.end - columns.first;
  if (count < 20) return { largest: highest.value, cut: null };
  const sorted = Float64Array.from(
    { length: count },
    (_, index) => values[columns.first + index] as number,
  ).sort();
  const rest = sorted[Math.floor((count - 1) * (1 - CUT_SHARE))] as number;
  if (rest <= 0 || highest.value < CUT_FACTOR * rest) return { largest: highest.value, cut: null };
  return {
    largest: rest * 1.1,
    cut: { ...highest, ...stretchAbove(values, columns, rest * 1.1, highest.column) },
  };
}

/** The stretch around a column that stays above a value. */
function stretchAbove(
  values: ArrayLike<number>,
  columns: ColumnScale,
  limit: number,
  column: number,
): { first: number; end: number } {
  let first = column;
  let end = column + 1;
  while (first > columns.first && (values[first - 1] as number) > limit) first--;
  while (end < columns.end && (values[end] as number) > limit) end++;
  return { first, end };
}
