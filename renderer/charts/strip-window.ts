import type { Range } from '../state/store.ts';
import { clampInto, panBy, span, toPixel, toValue } from './viewport.ts';

/** What a press on the overview strip takes hold of. */
export type Grip = 'from' | 'to' | 'window' | 'new';

/** Pixels around an edge in which a press takes its handle; hit targets are at least 24 wide. */
const REACH = 12;

export function gripAt(range: Range, full: Range, width: number, x: number): Grip {
  const left = toPixel(full, width, range.from);
  const right = toPixel(full, width, range.to);
  const toLeft = Math.abs(x - left);
  const toRight = Math.abs(x - right);
  // in a narrow window the handles give way, so that it can still be moved
  const reach = Math.min(REACH, Math.max(4, (right - left) / 4));
  const isOutside = x < left || x > right;
  if (toLeft <= (isOutside ? REACH : reach) && toLeft <= toRight) return 'from';
  if (toRight <= (isOutside ? REACH : reach)) return 'to';
  const isWhole = span(range) >= span(full);
  return !isOutside && !isWhole ? 'window' : 'new';
}

/** The window after a drag from `start` to `x`, as it was before being `range`. */
export function dragGrip(
  grip: Grip,
  range: Range,
  full: Range,
  width: number,
  start: number,
  x: number,
  smallest: number,
): Range {
  const at = Math.min(full.to, Math.max(full.from, toValue(full, width, x)));
  if (grip === 'window') return panBy(range, ((x - start) / Math.max(1, width)) * span(full), full);
  if (grip === 'new') {
    const other = toValue(full, width, start);
    const [from, to] = [Math.min(at, other), Math.max(at, other)];
    return clampInto({ from, to: Math.max(to, from + smallest) }, full);
  }
  return grip === 'from'
    ? { from: Math.min(at, range.to - smallest), to: range.to }
    : { from: range.from, to: Math.max(at, range.from + smallest) };
}

/** One end moved by keys, by a share of the whole. */
export function nudge(
  range: Range,
  full: Range,
  edge: 'from' | 'to',
  share: number,
  smallest: number,
): Range {
  const by = share * span(full);
  return edge === 'from'
    ? { from: Math.min(Math.max(full.from, range.from + by), range.to - smallest), to: range.to }
    : { from: range.from, to: Math.max(Math.min(full.to, range.to + by), range.from + smallest) };
}
