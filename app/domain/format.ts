import type { Address, Bytes, EventIndex, Nanoseconds } from './units.ts';

/**
 * How numbers are written, everywhere: on screen, in exports and in the terminal. Pure functions of the value and
 * the locale. A number and its unit are held together by a no-break space, a percentage by a narrow one;
 * `plainSpaces` turns both into ordinary ones for terminals and files.
 */
export type Locale = 'en' | 'zh-CN';

export const NO_BREAK_SPACE = '\u00a0';
export const NARROW_SPACE = '\u202f';
export const MINUS = '\u2212';

const formatters = new Map<string, Intl.NumberFormat>();

/** A grouped number with a fixed count of decimals. */
export function formatNumber(value: number | bigint, decimals = 0, locale: Locale = 'en'): string {
  const key = `${locale} ${decimals}`;
  let formatter = formatters.get(key);
  if (formatter === undefined) {
    formatter = new Intl.NumberFormat(locale, {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    });
    formatters.set(key, formatter);
  }
  return formatter.format(value).replace('-', MINUS);
}

/** `19,770`. */
export function formatCount(count: number | bigint, locale: Locale = 'en'): string {
  return formatNumber(count, 0, locale);
}

export function plainSpaces(text: string): string {
  return text.replaceAll(NO_BREAK_SPACE, ' ').replaceAll(NARROW_SPACE, ' ');
}

// ---------------------------------------------------------------- bytes

export const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
export type ByteUnit = (typeof BYTE_UNITS)[number];

/** Bytes in one of the unit. */
export function bytesPer(unit: ByteUnit): number {
  return 1024 ** BYTE_UNITS.indexOf(unit);
}

/** Decimals that a value of this unit is written with: `512 B`, `577 KiB`, `24.5 MiB`, `246 MiB`, `56.91 GiB`. */
function byteDecimals(value: number, unit: ByteUnit): number {
  if (unit === 'B' || unit === 'KiB') return 0;
  if (unit === 'MiB') return Math.abs(value) >= 99.95 ? 0 : 1;
  return 2;
}

/** The unit a value is written in alone. A value that would round up to 1,024 of a unit takes the next one. */
export function byteUnitOf(bytes: Bytes): ByteUnit {
  const size = Math.abs(bytes);
  for (const unit of BYTE_UNITS) {
    const value = size / bytesPer(unit);
    if (value < 1024 - 0.5 / 10 ** byteDecimals(value, unit)) return unit;
  }
  return 'TiB';
}

/** The number of `formatBytes` without its unit, for axes and columns that name the unit once. */
export function formatBytesIn(bytes: Bytes, unit: ByteUnit, locale: Locale = 'en'): string {
  const value = bytes / bytesPer(unit);
  return formatNumber(value, bytes === 0 ? 0 : byteDecimals(value, unit), locale);
}

/** `24.5 MiB`; 0 is always `0 B`. A value too small to show in a held unit is written in its own. */
export function formatBytes(bytes: Bytes, locale: Locale = 'en', held?: ByteUnit): string {
  if (bytes === 0) return `0${NO_BREAK_SPACE}B`;
  const own = byteUnitOf(bytes);
  const unit = held !== undefined && Math.abs(bytes) >= bytesPer(held) / 100 ? held : own;
  return `${formatBytesIn(bytes, unit, locale)}${NO_BREAK_SPACE}${unit}`;
}

/** `61,111,009,280 B`, for hovering and copying. */
export function formatExactBytes(bytes: Bytes | bigint, locale: Locale = 'en'): string {
  return `${formatNumber(bytes, 0, locale)}${NO_BREAK_SPACE}B`;
}

/** `+1.45 MiB`, `−5.21 GiB`; no difference is `0 B`. */
export function formatByteDifference(bytes: Bytes, locale: Locale = 'en', held?: ByteUnit): string {
  return `${bytes > 0 ? '+' : ''}${formatBytes(bytes, locale, held)}`;
}

/** `+400 MiB`: a distance from a base address. */
export function formatOffset(bytes: Bytes, locale: Locale = 'en'): string {
  return `+${formatBytes(bytes, locale)}`;
}

/**
 * Two sizes with the decimals that show what separates them: 245.74 and 244.29 MiB, not 246 and 244. Sizes that
 * three decimals cannot tell apart are written in bytes, and sizes far apart as each would be alone.
 */
export function formatClose(first: Bytes, second: Bytes, locale: Locale = 'en'): readonly [string, string] {
  const [small, large] = [Math.min(first, second), Math.max(first, second)];
  if (small < large / 2) return [formatBytes(first, locale), formatBytes(second, locale)];
  const unit = byteUnitOf(large);
  const apart = Math.abs(first - second) / bytesPer(unit);
  const usual = Math.max(
    byteDecimals(first / bytesPer(unit), unit),
    byteDecimals(second / bytesPer(unit), unit),
  );
  const needed = apart === 0 || unit === 'B' ? 0 : 2 - Math.floor(Math.log10(apart));
  if (needed > 5) return [formatExactBytes(first, locale), formatExactBytes(second, locale)];
  const decimals = shortest(first / bytesPer(unit), second / bytesPer(unit), usual, Math.min(3, needed));
  const write = (bytes: Bytes) =>
    `${formatNumber(bytes / bytesPer(unit), decimals, locale)}${NO_BREAK_SPACE}${unit}`;
  if (apart !== 0 && write(first) === write(second)) {
    return [formatExactBytes(first, locale), formatExactBytes(second, locale)];
  }
  return [write(first), write(second)];
}

/** The fewest decimals from `least` on that lose nothing, `most` at most. */
function shortest(first: number, second: number, least: number, most: number): number {
  const isWhole = (value: number, decimals: number) =>
    Math.abs(value * 10 ** decimals - Math.round(value * 10 ** decimals)) < 1e-6;
  let decimals = least;
  while (decimals < most && !(isWhole(first, decimals) && isWhole(second, decimals))) decimals++;
  return decimals;
}

/** The ends of "between 13.14 and 56.91 GiB": one unit, named once, at the second. */
export function formatBounds(low: Bytes, high: Bytes, locale: Locale = 'en'): readonly [string, string] {
  const unit = byteUnitOf(high);
  if (low < bytesPer(unit) / 100) return [formatBytes(low, locale), formatBytes(high, locale)];
  return [formatBytesIn(low, unit, locale), formatBytes(high, locale, unit)];
}

/** `0x7f5936000000`: full, lower case, never grouped. */
export function formatAddress(address: bigint): Address {
  return `0x${address.toString(16)}`;
}

// ---------------------------------------------------------------- shares

/** `98.7 %`. Never 100.0 or 0.0 unless it is exactly that: `> 99.9 %`, `< 0.1 %`. */
export function formatPercent(share: number, locale: Locale = 'en'): string {
  const write = (percent: number) => `${formatNumber(percent, 1, locale)}${NARROW_SPACE}%`;
  const size = Math.abs(share);
  const sign = share < 0 ? MINUS : '';
  if (size > 0 && size < 0.0005) return `<${NO_BREAK_SPACE}${sign}${write(0.1)}`;
  if (size < 1 && size >= 0.9995) return `>${NO_BREAK_SPACE}${sign}${write(99.9)}`;
  return write(share * 100);
}

// ---------------------------------------------------------------- time

export const TIME_UNITS = ['ns', 'µs', 'ms', 's', 'min'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

const NANOSECONDS: Readonly<Record<TimeUnit, number>> = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9, min: 6e10 };

export function nanosecondsPer(unit: TimeUnit): number {
  return NANOSECONDS[unit];
}

/** The one unit of an axis that spans this long; minutes from two of them on. */
export function timeUnitOf(span: Nanoseconds): TimeUnit {
  const length = Math.abs(span);
  if (length < 1e3) return 'ns';
  if (length < 1e6) return 'µs';
  if (length < 1e9) return 'ms';
  return length < 1.2e11 ? 's' : 'min';
}

/** A time in a unit with fixed decimals: `393.8 ms`. Nanoseconds are whole. */
export function formatTime(
  time: Nanoseconds,
  unit: TimeUnit = timeUnitOf(time),
  decimals = 1,
  locale: Locale = 'en',
): string {
  const value = formatNumber(time / nanosecondsPer(unit), unit === 'ns' ? 0 : decimals, locale);
  return `${value}${NO_BREAK_SPACE}${unit}`;
}

/** The time cursor: three decimals of the axis's unit, `393.809 ms`. */
export function formatCursorTime(time: Nanoseconds, unit: TimeUnit, locale: Locale = 'en'): string {
  return formatTime(time, unit, 3, locale);
}

/** A length of time with three significant digits: `394 ms`, `1.21 ms`, `12.0 s`. */
export function formatDuration(length: Nanoseconds, locale: Locale = 'en'): string {
  const unit = timeUnitOf(length);
  return formatTime(length, unit, significantDecimals(length / nanosecondsPer(unit)), locale);
}

/** `0:07`, `1:02:07`: how long something has been going on, in whole seconds. */
export function formatElapsed(length: Nanoseconds): string {
  const seconds = Math.floor(length / nanosecondsPer('s'));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [first = 0, ...rest] = parts[0] === 0 ? parts.slice(1) : parts;
  return [first, ...rest.map((part) => String(part).padStart(2, '0'))].join(':');
}

/** `196 – 394 ms`: both ends in one unit, precise enough to show three digits of their distance. */
export function formatSpan(from: Nanoseconds, to: Nanoseconds, locale: Locale = 'en'): string {
  const unit = timeUnitOf(Math.max(Math.abs(from), Math.abs(to)));
  const per = nanosecondsPer(unit);
  const decimals = unit === 'ns' ? 0 : significantDecimals((to - from) / per);
  return `${formatNumber(from / per, decimals, locale)} – ${formatTime(to, unit, decimals, locale)}`;
}

function significantDecimals(value: number): number {
  if (value === 0) return 0;
  return Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)))));
}

/** The number of an event as it is shown; the moment before the first is -1 and has a word of its own. */
export function formatEvent(event: EventIndex, locale: Locale = 'en'): string {
  return formatNumber(event, 0, locale);
}
