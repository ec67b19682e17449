import type { SampledColumns } from '../../app/contract/live.ts';
import type { ColumnScale } from './columns.ts';
import { byteAxis } from './lane-scale.ts';
import type { Level } from './levels.ts';
import { type Area, type Path, stepPath, type ValueScale, valueY } from './series-path.ts';

/** Sampled bytes that may be absent, and may lie below zero, as marks. Gaps are gaps: each run is drawn alone. */
export interface SignedRun {
  /** From zero up, and from zero down. */
  readonly above: Area;
  readonly below: Area;
  /** Between the smallest and the largest value of each column. */
  readonly varied: Area;
  readonly line: Path;
}

export interface SignedMarks {
  readonly runs: readonly SignedRun[];
  readonly levels: readonly Level[];
  /** Where zero lies, when there is something below it. */
  readonly zero: number | null;
}

/** Room under the lowest value, so that it does not lie on the lane's edge. */
const AIR_BELOW = 6;

export function prepareSigned(
  { min, max }: SampledColumns,
  columns: ColumnScale,
  height: number,
  air: number,
): SignedMarks {
  const { low, high } = extentOf(min, max, columns);
  const { scale, levels } = signedScale(low, high, height, air);
  const zeros = new Float64Array(max.length);
  const upwards = max.map((value) => Math.max(0, value));
  const downwards = min.map((value) => Math.min(0, value));
  const runs = knownRuns(max, columns).map((run) => {
    const path = (values: Float64Array) => stepPath(values, run, scale);
    return {
      above: { upper: path(upwards), lower: path(zeros) },
      below: { upper: path(zeros), lower: path(downwards) },
      varied: { upper: path(max), lower: path(min) },
      line: path(max),
    };
  });
  return { runs, levels, zero: low < 0 ? valueY(scale, 0) : null };
}

function extentOf(min: Float64Array, max: Float64Array, { first, end }: ColumnScale) {
  let low = 0;
  let high = 0;
  for (let column = first; column < end; column++) {
    low = Math.min(low, Number.isNaN(min[column]) ? 0 : (min[column] as number));
    high = Math.max(high, Number.isNaN(max[column]) ? 0 : (max[column] as number));
  }
  return { low, high };
}

/** Stretches of columns in which something is known. */
function knownRuns(values: Float64Array, columns: ColumnScale): readonly ColumnScale[] {
  const runs: ColumnScale[] = [];
  let first = -1;
  for (let column = columns.first; column <= columns.end; column++) {
    const isKnown = column < columns.end && !Number.isNaN(values[column]);
    if (isKnown && first < 0) first = column;
    if (isKnown || first < 0) continue;
    runs.push({ ...columns, first, end: column });
    first = -1;
  }
  return runs;
}

/** Above zero as every lane of bytes; with something below it, the whole extent and a line at zero. */
function signedScale(
  low: number,
  high: number,
  height: number,
  air: number,
): { readonly scale: ValueScale; readonly levels: readonly Level[] } {
  const axis = byteAxis(Math.max(high, -low), height - air);
  const below = low < 0 ? AIR_BELOW : 0;
  const top = low < 0 ? high : axis.top;
  const pixelsPerUnit = top - low > 0 ? Math.max(0, height - air - below) / (top - low) : 0;
  const scale = { bottom: height - below + low * pixelsPerUnit, pixelsPerUnit };
  const level = (value: number, number: string, unit: string) => ({ y: valueY(scale, value), number, unit });
  const levels = axis.ticks.flatMap(({ value, number, unit }) => [
    ...(value <= top ? [level(value, number, unit)] : []),
    ...(value <= -low ? [level(-value, `−${number}`, unit)] : []),
  ]);
  const unit = axis.ticks[0]?.unit;
  return { scale, levels: low < 0 && unit !== undefined ? [...levels, level(0, '0', unit)] : levels };
}
