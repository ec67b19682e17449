import type { AxisName, WindowArg } from '../../app/contract/engine.ts';
import type { Range } from '../state/store.ts';
import { span } from './viewport.ts';

/** The engine answers at most this many columns (contract). */
const MOST_COLUMNS = 16384;
/** Share of the visible width that is asked for on each side, so that panning has something to show. */
const SPARE = 0.25;

/**
 * The window to ask for: the visible range in one column a device pixel, plus spare columns at both sides. The
 * columns are laid out from the left edge of the visible range, so an answer that fits needs no resampling.
 */
export function windowFor(
  axis: AxisName,
  range: Range,
  full: Range,
  width: number,
  pixelRatio: number,
): WindowArg {
  const most = Math.floor(MOST_COLUMNS / (1 + 2 * SPARE));
  const visible = Math.max(1, Math.min(most, Math.round(width * pixelRatio)));
  const column = span(range) / visible;
  const spare = Math.floor(visible * SPARE);
  const before = Math.max(0, Math.min(spare, Math.floor((range.from - full.from) / column)));
  const after = Math.max(0, Math.min(spare, Math.floor((full.to - range.to) / column)));
  return {
    axis,
    from: range.from - before * column,
    to: range.to + after * column,
    columns: visible + before + after,
  };
}

/** Where the columns of an answer lie on screen, whatever range is visible now. */
export interface ColumnScale {
  /** Left edge of column 0 in pixels; may be left of the plot. */
  readonly left: number;
  /** Pixels a column. */
  readonly width: number;
  /** Columns that can be seen, [first, end). */
  readonly first: number;
  readonly end: number;
}

export function columnScale(window: WindowArg, range: Range, width: number): ColumnScale {
  const perValue = width / span(range);
  const left = (window.from - range.from) * perValue;
  const column = ((window.to - window.from) / window.columns) * perValue;
  const first = Math.max(0, Math.min(window.columns, Math.floor(-left / column + 1e-6)));
  const end = Math.max(first, Math.min(window.columns, Math.ceil((width - left) / column - 1e-6)));
  return { left, width: column, first, end };
}

/** The column at a pixel, or null outside of what is known. */
export function columnAt(scale: ColumnScale, pixel: number): number | null {
  const column = Math.floor((pixel - scale.left) / scale.width);
  return column >= scale.first && column < scale.end ? column : null;
}

export function columnRange(window: WindowArg, column: number): Range {
  const length = (window.to - window.from) / window.columns;
  return { from: window.from + column * length, to: window.from + (column + 1) * length };
}
