import type { AxisName, WindowArg } from '../../app/contract/engine.ts';
import type { Range } from '../state/store.ts';
import { span } from './viewport.ts';

/** The engine answers at most this many columns (contract). */
const MOST_COLUMNS = 16384;
/** Shares of the visible width that are asked for at both sides, so that panning has something to show. */
export interface Spare {
  readonly before: number;
  readonly after: number;
}
const SPARE: Spare = { before: 0.25, after: 0.25 };
/** A pan is on its way to one side. */
const AHEAD = { left: { before: 0.75, after: 0.1 }, right: { before: 0.1, after: 0.75 } } as const;
/** Windows whose lengths differ by less than this share are of the same zoom. */
const SAME_ZOOM = 1e-6;

/** What to ask for around a window that moved from one range to another. */
export function spareFor(before: Range, now: Range): Spare {
  const isPan = Math.abs(span(now) / span(before) - 1) < SAME_ZOOM && now.from !== before.from;
  if (!isPan) return SPARE;
  return now.from < before.from ? AHEAD.left : AHEAD.right;
}

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
  spare: Spare = SPARE,
): WindowArg {
  const most = Math.floor(MOST_COLUMNS / (1 + spare.before + spare.after));
  const visible = Math.max(1, Math.min(most, Math.round(width * pixelRatio)));
  const column = span(range) / visible;
  const upTo = (share: number, known: number) =>
    Math.max(0, Math.min(Math.floor(visible * share), Math.floor(known / column)));
  const before = upTo(spare.before, range.from - full.from);
  const after = upTo(spare.after, full.to - range.to);
  return {
    axis,
    from: range.from - before * column,
    to: range.to + after * column,
    columns: visible + before + after,
  };
}

/** While the window moves, an answer may be stretched or squeezed so much before the next one is asked for. */
const MOST_STRETCH = 1.7;
/** Share of the visible width that must still be known at the side it moves to. */
const LEAST_SPARE = 0.15;

/** Whether a window that was asked for shows the visible range well enough while it moves. */
export function showsEnough(
  asked: WindowArg,
  before: Range,
  range: Range,
  full: Range,
  visibleColumns: number,
): boolean {
  const spare = span(range) * LEAST_SPARE;
  const toLeft = range.from < before.from ? spare : 0;
  const toRight = range.to > before.to ? spare : 0;
  const reachesLeft = asked.from <= Math.max(full.from, range.from - toLeft);
  const reachesRight = asked.to >= Math.min(full.to, range.to + toRight);
  const stretch = ((asked.to - asked.from) / asked.columns / span(range)) * visibleColumns;
  return reachesLeft && reachesRight && stretch < MOST_STRETCH && stretch > 1 / MOST_STRETCH;
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
