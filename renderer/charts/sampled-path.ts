import type { SampledColumns } from '../../app/contract/live.ts';

/** SVG paths of a sampled quantity; where nothing is known they are interrupted, never joined. */
export interface SampledPaths {
  /** The largest value of each column, as steps. */
  readonly line: string;
  /** From the line down to the ground. */
  readonly area: string;
  /** From the largest down to the smallest value of each column. */
  readonly spread: string;
}

const round = (value: number) => Math.round(value * 10) / 10;

export function sampledPaths(
  columns: SampledColumns,
  width: number,
  height: number,
  top: number,
): SampledPaths {
  const count = columns.max.length;
  const x = (column: number) => round((column * width) / count);
  const y = (value: number) => round(height - (Math.min(value, top) / top) * height);
  let line = '';
  let area = '';
  let spread = '';
  let start = -1;
  for (let column = 0; column < count; column++) {
    const value = columns.max[column] as number;
    if (Number.isNaN(value)) continue;
    const at = y(value);
    if (start < 0) {
      start = column;
      line += `M${x(column)} ${at}`;
      area += `M${x(column)} ${height}V${at}`;
    }
    const low = y(columns.min[column] as number);
    if (low - at >= 1) spread += `M${x(column)} ${at}V${low}H${x(column + 1)}V${at}Z`;
    const next = column + 1 < count ? (columns.max[column + 1] as number) : Number.NaN;
    if (next === value) continue;
    const step = Number.isNaN(next) ? '' : `V${y(next)}`;
    line += `H${x(column + 1)}${step}`;
    area += `H${x(column + 1)}${step}`;
    if (step === '') {
      area += `V${height}H${x(start)}Z`;
      start = -1;
    }
  }
  return { line, area, spread };
}

/** The largest value that is known, or null. */
export function largestKnown(values: Float64Array): number | null {
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) if (value > most) most = value;
  return most === Number.NEGATIVE_INFINITY ? null : most;
}
