import type { SeriesColumns } from '../../app/contract/engine.ts';
import type { ColumnScale } from './columns.ts';

/**
 * Series as step paths. A path is a flat list x0, y0, x1, y1, … of corners in CSS pixels; equal neighbours are merged,
 * so a quiet trace costs a few corners and a busy one two a column.
 */
export type Path = Float64Array;

export interface ValueScale {
  /** Height of the lane in pixels; value 0 lies at `bottom`. */
  readonly bottom: number;
  readonly pixelsPerUnit: number;
}

/** Value 0 at the bottom of the lane, `top` value below `air` pixels of air. */
export function valueScale(height: number, top: number, air: number): ValueScale {
  return { bottom: height, pixelsPerUnit: top > 0 ? Math.max(0, height - air) / top : 0 };
}

export function valueY(scale: ValueScale, value: number): number {
  return scale.bottom - value * scale.pixelsPerUnit;
}

export function stepPath(values: ArrayLike<number>, columns: ColumnScale, y: ValueScale): Path {
  const corners = new Float64Array(4 * (columns.end - columns.first));
  let used = 0;
  for (let column = columns.first; column < columns.end; column++) {
    const height = valueY(y, values[column] ?? 0);
    const right = columns.left + (column + 1) * columns.width;
    if (used > 0 && corners[used - 1] === height) {
      corners[used - 2] = right;
      continue;
    }
    corners[used] = columns.left + column * columns.width;
    corners[used + 1] = height;
    corners[used + 2] = right;
    corners[used + 3] = height;
    used += 4;
  }
  return corners.subarray(0, used);
}

/** How many steps some paths take. */
export function stepCount(...paths: readonly (Path | null | undefined)[]): number {
  return paths.reduce((sum, path) => sum + (path?.length ?? 0) / 4, 0);
}

export interface Area {
  readonly upper: Path;
  readonly lower: Path;
}

/** What a region lane draws, bottom to top. */
export interface RegionMarks {
  /** Free space: from active up to reserved. */
  readonly reserved: Area;
  /** Where the column's active bytes varied: drawn lighter, from its least to its most. */
  readonly activeVaried: Area;
  readonly active: Path;
  /** Freed but waiting for a stream: from allocated up to active. */
  readonly pending: Area | null;
  /** The column's reserved bytes varied between these. */
  readonly reservedVaried: Area | null;
  readonly requested: Path;
}

export interface RegionColumns {
  readonly reserved: SeriesColumns;
  readonly active: SeriesColumns;
  readonly allocated: SeriesColumns;
  readonly requested: SeriesColumns;
}

export function prepareRegion(data: RegionColumns, columns: ColumnScale, y: ValueScale): RegionMarks {
  const path = (values: Float64Array) => stepPath(values, columns, y);
  const { reserved, active, allocated, requested } = data;
  const outline = path(reserved.max);
  return {
    reserved: { upper: outline, lower: path(active.max) },
    activeVaried: { upper: path(active.max), lower: path(active.min) },
    active: path(active.min),
    pending: differs(allocated.min, active.min, columns)
      ? { upper: path(active.min), lower: path(allocated.min) }
      : null,
    reservedVaried: differs(reserved.min, reserved.max, columns)
      ? { upper: outline, lower: path(reserved.min) }
      : null,
    requested: path(requested.max),
  };
}

/**
 * Free bytes of each column: at its end, and the most within it. The most is exact where reserved or active bytes did
 * not change in the column, and at most that where both did.
 */
export function freeOf(data: Pick<RegionColumns, 'reserved' | 'active'>): {
  most: Float64Array;
  last: Float64Array;
} {
  const { reserved, active } = data;
  return {
    most: reserved.max.map((bytes, column) => Math.max(0, bytes - (active.min[column] as number))),
    last: reserved.last.map((bytes, column) => Math.max(0, bytes - (active.last[column] as number))),
  };
}

/** Bounds of a counter that a damaged capture knows only in part. */
export interface BoundMarks {
  readonly atLeast: Path;
  readonly atMost: Path;
}

export function prepareBounds(
  values: SeriesColumns,
  possibleExtra: number,
  columns: ColumnScale,
  y: ValueScale,
): BoundMarks {
  const most = values.max.map((value) => value + possibleExtra);
  return { atLeast: stepPath(values.max, columns, y), atMost: stepPath(most, columns, y) };
}

function differs(one: Float64Array, other: Float64Array, columns: ColumnScale): boolean {
  for (let column = columns.first; column < columns.end; column++) {
    if (one[column] !== other[column]) return true;
  }
  return false;
}
