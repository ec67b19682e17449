import { tickStep } from 'd3';
import type { AxisName } from '../../app/contract/engine.ts';
import {
  formatNumber,
  type Locale,
  nanosecondsPer,
  TIME_UNITS,
  type TimeUnit,
} from '../../app/domain/format.ts';
import type { Range } from '../state/store.ts';
import { toPixel } from './viewport.ts';

/** The time axis picks one unit; an axis of events counts. */
export type AxisUnit = TimeUnit | 'event';

/**
 * The coarsest unit in which the end of the window is at least 1 (2 for minutes) and a tick step needs no more than
 * three decimals.
 */
export function axisUnit(axis: AxisName, range: Range, ticks: number): AxisUnit {
  if (axis === 'event') return 'event';
  const step = tickStep(range.from, range.to, ticks);
  const fits = (unit: TimeUnit) => {
    const length = nanosecondsPer(unit);
    return range.to > length * (unit === 'min' ? 2 : 1) && step >= length / 1000;
  };
  return TIME_UNITS.findLast(fits) ?? 'ns';
}

export interface AxisTick {
  readonly value: number;
  readonly x: number;
  /** Empty where something covers it; the grid line stays. */
  readonly label: string;
  readonly anchor: 'start' | 'middle' | 'end';
}

export interface TimeAxis {
  readonly unit: AxisUnit;
  readonly ticks: readonly AxisTick[];
}

/** A stretch of pixels where labels would be hidden: under the cursor's own label, beyond the end. */
export interface Covered {
  readonly from: number;
  readonly to: number;
}

export function wantedTicks(width: number): number {
  return Math.max(2, Math.min(14, Math.floor(width / 92)));
}

/** Ticks of a window; the first label carries the unit, or the word for "event". */
export function timeAxis(
  axis: AxisName,
  range: Range,
  width: number,
  words: { locale: Locale; event: string },
  covered: readonly Covered[] = [],
): TimeAxis {
  const wanted = wantedTicks(width);
  const unit = axisUnit(axis, range, wanted);
  const length = unit === 'event' ? 1 : nanosecondsPer(unit);
  const step = Math.max(1, Math.round(tickStep(range.from / length, range.to / length, wanted) * length));
  const decimals = Math.max(0, Math.ceil(-Math.log10(step / length) - 1e-9));
  const ticks: AxisTick[] = [];
  let isFirst = true;
  // adding 0 turns a first index of −0 into 0
  for (let index = Math.ceil(range.from / step - 1e-9) + 0; index * step <= range.to; index++) {
    const x = toPixel(range, width, index * step);
    const number = formatNumber((index * step) / length, decimals, words.locale);
    const label = !isFirst ? number : unit === 'event' ? `${words.event} ${number}` : `${number} ${unit}`;
    const half = label.length * 3.2 + 3;
    const anchor = x < half ? 'start' : x > width - half + RIGHT_ROOM ? 'end' : 'middle';
    const left = anchor === 'start' ? x : anchor === 'end' ? x - 2 * half : x - half;
    const isCovered = covered.some((stretch) => left + 2 * half > stretch.from && left < stretch.to);
    ticks.push({ value: index * step, x, anchor, label: isCovered ? '' : label });
    if (!isCovered) isFirst = false;
  }
  return { unit, ticks };
}

/** Labels may reach this far into the right margin. */
const RIGHT_ROOM = 14;
