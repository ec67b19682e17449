import type { Marker, MetricName, RegionName, SeriesResult } from '../../../app/contract/engine.ts';
import {
  byteUnitOf,
  formatBytesIn,
  formatCursorTime,
  formatExactBytes,
  formatPercent,
  type TimeUnit,
} from '../../../app/domain/format.ts';
import { freeOf } from '../../charts/series-path.ts';
import type { Column } from '../../charts/table-model.ts';
import type { Words } from '../../charts/use-words.ts';
import type { LaneRegion } from './lane-layout.ts';

/** The rows of the Timeline's table: single events, or equal stretches of them. */
export interface Samples {
  readonly series: SeriesResult;
  readonly regions: readonly RegionName[];
  readonly markers: readonly Marker[];
  /** First event of each row. */
  readonly events: Int32Array;
  /** Last event of the last row. */
  readonly last: number;
  /** Events a row stands for; 1 at event resolution. */
  readonly perRow: number;
  /** Times of the first events as far as they were fetched; null without a clock. */
  readonly times: ReadonlyMap<number, number | null> | null;
  readonly unit: TimeUnit;
}

const METRICS: readonly MetricName[] = ['reserved', 'active', 'allocated', 'requested'];

export function sampleColumns(words: Words, samples: Samples): Column[] {
  const columns: Column[] = [eventColumn(words, samples)];
  if (samples.times !== null) columns.push(timeColumn(words, samples, samples.times));
  const shown: LaneRegion[] =
    samples.regions.length > 1 ? [...samples.regions, 'total'] : [...samples.regions];
  for (const region of shown) columns.push(...regionColumns(words, samples, region));
  columns.push(markerColumn(words, samples));
  return columns;
}

function eventColumn(words: Words, { events, perRow, last }: Samples): Column {
  return {
    key: 'event',
    label: words.t('samples.event'),
    group: '',
    width: perRow > 1 ? 150 : 84,
    value: (row) => events[row] ?? null,
    text: (row) => {
      const first = events[row] ?? 0;
      return perRow > 1
        ? `${words.count(first)} – ${words.count(Math.min(last, first + perRow - 1))}`
        : words.count(first);
    },
  };
}

function timeColumn(
  words: Words,
  { events, unit }: Samples,
  times: ReadonlyMap<number, number | null>,
): Column {
  const timeOf = (row: number) => times.get(events[row] as number) ?? null;
  return {
    key: 'time_ns',
    label: words.t('samples.time'),
    group: '',
    width: 104,
    value: timeOf,
    text: (row) => {
      const time = timeOf(row);
      return time === null ? '…' : formatCursorTime(time, unit, words.locale);
    },
  };
}

function regionColumns(words: Words, samples: Samples, region: LaneRegion): Column[] {
  const series = region === 'total' ? samples.series.total : samples.series.regions[region];
  const group = words.t(`region.${region}`);
  const byteColumn = (key: string, label: string, values: ArrayLike<number>): Column => {
    const unit = byteUnitOf(Array.from(values).reduce((most, value) => Math.max(most, value), 0));
    return {
      key: `${region}_${key}_bytes`,
      label: `${label}, ${unit}`,
      group,
      width: 104,
      value: (row) => values[row] ?? null,
      text: (row) => formatBytesIn(values[row] ?? 0, unit, words.locale),
      title: (row) => formatExactBytes(values[row] ?? 0, words.locale),
    };
  };
  const free = freeOf(series).last;
  return [
    ...METRICS.map((metric) =>
      byteColumn(metric, words.t(`legend.${metric as 'reserved'}`), series[metric].max),
    ),
    byteColumn('free', words.t('legend.free'), free),
    byteColumn('largest_free', words.t('legend.largest'), series.largestFree.last),
    {
      key: `${region}_fragmentation`,
      label: words.t('samples.fragmentation'),
      group,
      width: 104,
      value: (row) => (free[row] === 0 ? null : (series.fragmentation.last[row] ?? null)),
      text: (row) =>
        free[row] === 0 ? '' : formatPercent(series.fragmentation.last[row] ?? 0, words.locale),
      title: (row) => (free[row] === 0 ? words.t('samples.nothingFree') : words.t('samples.formula')),
    },
  ];
}

function markerColumn(words: Words, { markers, events, perRow }: Samples): Column {
  const kinds = new Map<number, Marker['kind'][]>();
  const first = events[0] ?? 0;
  for (const marker of markers) {
    const row = Math.floor((marker.event - first) / perRow);
    if (row >= 0 && row < events.length) kinds.set(row, [...(kinds.get(row) ?? []), marker.kind]);
  }
  const textOf = (row: number) => {
    const found = [...new Set(kinds.get(row) ?? [])];
    return found.map((kind) => words.t(`marker.${kind}`, { count: 1 })).join(', ');
  };
  return {
    key: 'marker',
    label: words.t('samples.marker'),
    group: '',
    width: 110,
    isText: true,
    value: (row) => kinds.get(row)?.join(' ') ?? null,
    text: textOf,
  };
}
