import type { AxisName, MomentResult } from '../../app/contract/engine.ts';
import {
  formatCount,
  formatCursorTime,
  formatNumber,
  formatTime,
  nanosecondsPer,
} from '../../app/domain/format.ts';
import type { Range } from '../state/store.ts';
import type { AxisUnit } from './time-axis.ts';
import type { Words } from './use-words.ts';

/** How a place on the axis is written: "393.8 ms", "event 5,200", "before the first event". */
export interface AxisPlace {
  readonly axis: AxisName;
  readonly unit: AxisUnit;
}

/** Short, for the label that rides on the cursor line. */
export function placeWords(words: Words, place: AxisPlace, event: number, time: number | null): string {
  if (event < 0) return words.t('axis.beforeFirst');
  if (place.unit === 'event' || time === null) {
    return words.t('axis.eventNumber', { event: formatCount(event, words.locale) });
  }
  return formatTime(time, place.unit, 1, words.locale);
}

/**
 * The label of the cursor. On a time axis it is that of the moment the engine answered last, where the line stands too:
 * a label that runs ahead of its line would flicker.
 */
export function cursorWords(
  words: Words,
  place: AxisPlace,
  cursor: number,
  moment: MomentResult | null,
): string {
  if (place.unit === 'event' || moment === null) return placeWords(words, place, cursor, null);
  return placeWords(words, place, moment.event, moment.time);
}

/** As the beginning of a sentence: "At 340 ms", "Before the first event". */
export function atWords(words: Words, place: AxisPlace, event: number, time: number | null): string {
  if (event < 0) return words.t('axis.start');
  return words.t('axis.at', { where: placeWords(words, place, event, time) });
}

/** The start of the axis: "0 ms", "0". */
export function startWords(place: AxisPlace): string {
  return place.unit === 'event' ? '0' : `0\u00a0${place.unit}`;
}

/** Precise, for announcements and tooltips: three decimals of the axis's unit. */
export function exactPlaceWords(words: Words, place: AxisPlace, event: number, time: number | null): string {
  if (event < 0 || place.unit === 'event' || time === null) return placeWords(words, place, event, time);
  return formatCursorTime(time, place.unit, words.locale);
}

/** "196 – 394 ms" or "events 5,000 – 5,400", for a stretch on the axis. */
export function stretchWords(words: Words, place: AxisPlace, range: Range): string {
  if (place.unit === 'event') {
    const from = Math.max(0, Math.ceil(range.from - 1e-6));
    const to = Math.max(from, Math.ceil(range.to - 1e-6) - 1);
    return from === to
      ? words.t('axis.eventNumber', { event: words.count(from) })
      : words.t('axis.eventSpan', { from: words.count(from), to: words.count(to) });
  }
  const length = nanosecondsPer(place.unit);
  const apart = (range.to - range.from) / length;
  const decimals =
    place.unit === 'ns' ? 0 : Math.min(6, Math.max(0, Math.ceil(2 - Math.log10(Math.max(apart, 1e-9)) - 1)));
  const from = formatNumber(range.from / length, decimals, words.locale);
  return `${from} – ${formatTime(range.to, place.unit, decimals, words.locale)}`;
}
