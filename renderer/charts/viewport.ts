import type { Range } from '../state/store.ts';

/**
 * Arithmetic of the visible window: where a value lies on screen, and what zooming and panning make of the window.
 * Values are ns or event indices; pixels are CSS pixels from the left edge of the plot.
 */

/** Labels stand left of every time plot; the same in Timeline, Map and the overview strip so that time lines up. */
export const GUTTER = 140;
export const RIGHT_MARGIN = 20;

export function span(range: Range): number {
  return range.to - range.from;
}

export function toPixel(range: Range, width: number, value: number): number {
  return ((value - range.from) / span(range)) * width;
}

export function toValue(range: Range, width: number, pixel: number): number {
  return range.from + (pixel / Math.max(1, width)) * span(range);
}

/** The smallest window worth looking at: a few events, or a few ns. */
export function smallestSpan(axis: 'time' | 'event', full: Range): number {
  return Math.min(span(full), axis === 'event' ? 4 : 20);
}

/** Moves a window inside `full` without changing its length, unless it is longer. */
export function clampInto(range: Range, full: Range): Range {
  const length = Math.min(span(range), span(full));
  const from = Math.min(Math.max(range.from, full.from), full.to - length);
  return { from, to: from + length };
}

/** Zooms by `factor` (below 1 is closer) so that the value under the pointer stays where it is. */
export function zoomAt(range: Range, pivot: number, factor: number, full: Range, smallest: number): Range {
  const length = Math.min(Math.max(span(range) * factor, smallest), span(full));
  const share = (pivot - range.from) / span(range);
  return clampInto({ from: pivot - share * length, to: pivot + (1 - share) * length }, full);
}

export function panBy(range: Range, delta: number, full: Range): Range {
  return clampInto({ from: range.from + delta, to: range.to + delta }, full);
}

/** A window around something, with a little air at both sides. */
export function windowAround(target: Range, full: Range, smallest: number): Range {
  const length = Math.max(span(target) * 1.2, smallest);
  const middle = (target.from + target.to) / 2;
  return clampInto({ from: middle - length / 2, to: middle + length / 2 }, full);
}

export function isWhole(range: Range, full: Range): boolean {
  return range.from <= full.from && range.to >= full.to;
}

/** One wheel notch (100 units in Chromium) zooms by about a sixth; trackpads send many small steps. */
export function wheelFactor(deltaY: number, deltaMode: number): number {
  const pixels = deltaMode === 1 ? deltaY * 33 : deltaMode === 2 ? deltaY * 300 : deltaY;
  return 2 ** (Math.max(-400, Math.min(400, pixels)) / 450);
}
