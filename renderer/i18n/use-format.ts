import {
  type ByteUnit,
  formatByteDifference,
  formatBytes,
  formatClose,
  formatCount,
  formatCursorTime,
  formatDuration,
  formatElapsed,
  formatExactBytes,
  formatNumber,
  formatPercent,
  formatSpan,
  formatTime,
  type Locale,
  type TimeUnit,
} from '../../app/domain/format.ts';
import type { Bytes, Nanoseconds } from '../../app/domain/units.ts';
import { useLocale } from './i18n.ts';

/** The formatters of app/domain/format.ts in one language. */
function formatIn(locale: Locale) {
  return {
    locale,
    bytes: (bytes: Bytes, held?: ByteUnit) => formatBytes(bytes, locale, held),
    exact: (bytes: Bytes) => formatExactBytes(bytes, locale),
    difference: (bytes: Bytes) => formatByteDifference(bytes, locale),
    close: (first: Bytes, second: Bytes) => formatClose(first, second, locale),
    /** With one decimal where it has any. */
    number: (value: number) => formatNumber(value, Number.isInteger(value) ? 0 : 1, locale),
    count: (count: number) => formatCount(count, locale),
    percent: (share: number) => formatPercent(share, locale),
    time: (time: Nanoseconds, unit: TimeUnit, decimals = 1) => formatTime(time, unit, decimals, locale),
    cursorTime: (time: Nanoseconds, unit: TimeUnit) => formatCursorTime(time, unit, locale),
    duration: (length: Nanoseconds) => formatDuration(length, locale),
    elapsed: formatElapsed,
    span: (from: Nanoseconds, to: Nanoseconds) => formatSpan(from, to, locale),
  };
}

export type Format = ReturnType<typeof formatIn>;

const formats: Readonly<Record<Locale, Format>> = { en: formatIn('en'), 'zh-CN': formatIn('zh-CN') };

export function useFormat(): Format {
  return formats[useLocale()];
}
