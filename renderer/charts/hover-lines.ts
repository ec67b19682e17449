import type { LayoutName, RegionSeries, SeriesColumns } from '../../app/contract/engine.ts';
import type { DriverResult, SampledColumns } from '../../app/contract/live.ts';
import { formatBounds } from '../../app/domain/format.ts';
import { annotationName } from './annotation-name.ts';
import type { LiveHit } from './live-raster.ts';
import { freeOf } from './series-path.ts';
import type { AnnotationMark, MarkerMark } from './time-marks.ts';
import type { TooltipLine } from './tooltip.tsx';
import type { Words } from './use-words.ts';

/** What is under the pointer, in words. Pure: the answer's column or hit in, the lines of the tooltip out. */

function isSteady(values: SeriesColumns, column: number): boolean {
  return values.min[column] === values.max[column];
}

/** One column of a region. A column that varied says between what, so that an aggregate never passes for a moment. */
export function regionLines(
  words: Words,
  layout: LayoutName,
  series: RegionSeries,
  column: number,
  where: string,
): TooltipLine[] {
  if (layout !== 'segments') return activeLines(words, series, column, where);
  const at = (name: 'reserved' | 'active' | 'requested' | 'largestFree') =>
    series[name].max[column] as number;
  const free = Math.max(0, (series.reserved.last[column] as number) - (series.active.last[column] as number));
  const largest = series.largestFree.last[column] as number;
  const freeLine: TooltipLine = {
    text: words.t('tip.free', { free: words.bytes(free), largest: words.bytes(largest) }),
    ...(free > 0 ? { tone: 'hole' as const } : {}),
  };
  const steady = isSteady(series.reserved, column) && isSteady(series.active, column);
  if (steady) {
    return [
      { text: words.t('tip.reserved', { bytes: words.bytes(at('reserved')) }) },
      { text: words.t('tip.active', { bytes: words.bytes(at('active')) }) },
      freeLine,
      { text: where, tone: 'quiet' },
    ];
  }
  const [reservedLow, reservedHigh] = between(words, series.reserved, column);
  const [activeLow, activeHigh] = between(words, series.active, column);
  return [
    isSteady(series.reserved, column)
      ? { text: words.t('tip.reserved', { bytes: reservedHigh }) }
      : { text: words.t('tip.reservedBetween', { low: reservedLow, high: reservedHigh }) },
    isSteady(series.active, column)
      ? { text: words.t('tip.active', { bytes: activeHigh }) }
      : { text: words.t('tip.activeBetween', { low: activeLow, high: activeHigh }) },
    {
      ...freeLine,
      text: words.t('tip.freeAtEnd', { free: words.bytes(free), largest: words.bytes(largest) }),
    },
    { text: where, tone: 'quiet' },
  ];
}

/** Where no segments are known, nothing is said of what was reserved or free. */
function activeLines(words: Words, series: RegionSeries, column: number, where: string): TooltipLine[] {
  const [low, high] = between(words, series.active, column);
  const text = isSteady(series.active, column)
    ? words.t('tip.activeFirst', { bytes: high })
    : words.t('tip.activeFirstBetween', { low, high });
  return [{ text }, { text: where, tone: 'quiet' }];
}

function between(words: Words, values: SeriesColumns, column: number): readonly [string, string] {
  return formatBounds(values.min[column] as number, values.max[column] as number, words.locale);
}

/** What a driver counts at a column, and, for the difference, what that is beyond. */
export function driverLines(
  words: Words,
  values: SampledColumns,
  column: number,
  where: string,
): TooltipLine[] {
  const text = sampledText(words, values, column, 'driver');
  return [{ text }, { text: where, tone: 'quiet' }];
}

export function differenceLines(
  words: Words,
  { difference, subtracted }: Pick<DriverResult, 'difference' | 'subtracted'>,
  isOfProcess: boolean,
  column: number,
  where: string,
): TooltipLine[] {
  const lines: TooltipLine[] = [{ text: sampledText(words, difference, column, 'difference') }];
  if ((difference.min[column] as number) < 0) {
    lines.push({ text: words.t('difference.negative'), tone: 'caution' });
  }
  lines.push({ text: where, tone: 'quiet' });
  lines.push({
    text: words.t(isOfProcess ? 'difference.whatProcess' : 'difference.whatGpu'),
    tone: 'definition',
  });
  if (subtracted === 'active') lines.push({ text: words.t('difference.activeInstead'), tone: 'definition' });
  return lines;
}

function sampledText(
  words: Words,
  values: SampledColumns,
  column: number,
  of: 'driver' | 'difference',
): string {
  const [low, high] = [values.min[column] as number, values.max[column] as number];
  if (Number.isNaN(high)) return words.t(`${of}.unknown`);
  if (low === high) {
    const bytes = words.bytes(high);
    return of === 'driver' ? words.t('driver.used', { bytes }) : words.t('difference.value', { bytes });
  }
  const between = { low: words.bytes(low), high: words.bytes(high) };
  return of === 'driver' ? words.t('driver.usedBetween', between) : words.t('difference.between', between);
}

export function freeLines(words: Words, series: RegionSeries, column: number, where: string): TooltipLine[] {
  const { most, last } = freeOf(series);
  const free = last[column] as number;
  const largest = series.largestFree.last[column] as number;
  const lines: TooltipLine[] = [
    { text: words.t('tip.freeFirst', { bytes: words.bytes(free) }), tone: 'hole' },
    { text: words.t('tip.largest', { bytes: words.bytes(largest) }) },
  ];
  // the numbers are those of the column's end; what it held at most is said besides
  if ((most[column] as number) > free) {
    lines.push({
      text: words.t('tip.freeMost', { bytes: words.bytes(most[column] as number) }),
      tone: 'quiet',
    });
  }
  // in other holes than the largest: what no single request can have
  if (free > largest) lines.push({ text: words.t('tip.inSmaller', { bytes: words.bytes(free - largest) }) });
  lines.push({ text: where, tone: 'quiet' });
  return lines;
}

export function boundLines(
  words: Words,
  values: SeriesColumns,
  counter: 'reserved' | 'active',
  extra: number,
  column: number,
  where: string,
): TooltipLine[] {
  const least = values.last[column] as number;
  const [low, high] = formatBounds(least, least + extra, words.locale);
  return [{ text: words.t(`tip.${counter}Between`, { low, high }) }, { text: where, tone: 'quiet' }];
}

export function liveLines(
  words: Words,
  hit: LiveHit,
  siteName: string,
  swatch: string,
  where: string,
): TooltipLine[] {
  const bytes = words.bytes(hit.bytes);
  const text =
    hit.block === null
      ? words.t('tip.blocks', {
          count: hit.blockCount,
          blocks: words.count(hit.blockCount),
          bytes,
          site: siteName,
        })
      : words.t('tip.block', { bytes, site: siteName });
  return [
    { text, swatch },
    { text: where, tone: 'quiet' },
  ];
}

export function annotationLines(
  words: Words,
  mark: AnnotationMark,
  length: string,
  where: string,
): TooltipLine[] {
  const nameOf = ({ name }: { readonly name: string }) => annotationName(words, name);
  if (mark.count > 1) {
    return [
      { text: words.t('tip.annotations', { count: mark.count, annotations: words.count(mark.count) }) },
      { text: words.t('tip.annotationsFromTo', { first: nameOf(mark.first), last: nameOf(mark.last) }) },
      { text: where, tone: 'quiet' },
    ];
  }
  const lines: TooltipLine[] = [{ text: `**${nameOf(mark.first)}**` }, { text: length }];
  if (!mark.first.hasBegin) lines.push({ text: words.t('tip.noBegin'), tone: 'caution' });
  if (!mark.first.hasEnd) lines.push({ text: words.t('tip.noEnd'), tone: 'caution' });
  lines.push({ text: where, tone: 'quiet' });
  return lines;
}

export function markerLines(words: Words, mark: MarkerMark, where: string): TooltipLine[] {
  const marker = mark.markers[0];
  if (marker === undefined) return [];
  if (mark.markers.length > 1) {
    const count = mark.markers.length;
    return [
      { text: words.t(`marker.${mark.kind}Many`, { count, markers: words.count(count) }) },
      { text: where, tone: 'quiet' },
    ];
  }
  const text = words.t(`marker.${mark.kind}One`, {
    bytes: words.bytes(marker.bytes),
    count: marker.count,
    segments: words.count(marker.count),
  });
  return [{ text }, { text: where, tone: 'quiet' }];
}
