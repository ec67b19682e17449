import { useCallback, useMemo, useState } from 'react';
import { timeUnitOf } from '../../../app/domain/format.ts';
import { DataTable } from '../../charts/data-table.tsx';
import { useWords } from '../../charts/use-words.ts';
import { useEngine } from '../../engine/engine.ts';
import { useQuery } from '../../engine/use-query.ts';
import { useActiveDevice, useActiveTrace, useUpdateTrace } from '../../state/active-trace.ts';
import { type Samples, sampleColumns } from './sample-columns.ts';

/** Up to so many events are shown one by one. */
const MOST_EVENTS = 16384;
/** Rows when there are more: about the pixels of the picture. */
const STRETCHES = 1024;

/** The Timeline as numbers: the events of the window, or as many equal stretches of them as the picture has pixels. */
export function SamplesTable() {
  const { info, cursor } = useActiveTrace();
  const update = useUpdateTrace();
  const words = useWords();
  const samples = useSamples();
  const columns = useMemo(
    () => (samples === null ? [] : sampleColumns(words, samples.data)),
    [words, samples],
  );
  if (samples === null) return <div className="data-table" />;
  const { events, perRow, last } = samples.data;
  const at = Math.floor((cursor - (events[0] ?? 0)) / perRow);
  return (
    <DataTable
      label={words.t('samples.label')}
      columns={columns}
      count={events.length}
      fileName={`${info.name}-timeline`}
      {...(perRow > 1 ? { note: words.t('samples.stretches', { events: words.count(perRow) }) } : {})}
      selected={at >= 0 && at < events.length ? at : null}
      onSelect={(row) => update({ cursor: Math.min(last, (events[row] ?? 0) + perRow - 1) })}
      onVisible={samples.fetchRows}
      complete={async () => sampleColumns(words, await samples.complete())}
    />
  );
}

interface FetchedSamples {
  readonly data: Samples;
  readonly fetchRows: (rows: readonly number[]) => void;
  readonly complete: () => Promise<Samples>;
}

function useSamples(): FetchedSamples | null {
  const { info, device } = useActiveTrace();
  const active = useActiveDevice();
  const on = { trace: info.trace, device };
  const span = useEventSpan();
  const count = span === null ? 0 : span.last - span.first + 1;
  const perRow = count <= MOST_EVENTS ? 1 : Math.ceil(count / STRETCHES);
  const rows = Math.ceil(count / perRow);
  const series = useQuery(
    'series',
    span === null || rows === 0
      ? null
      : {
          ...on,
          window: { axis: 'event', from: span.first, to: span.first + rows * perRow, columns: rows },
        },
  );
  const markers = useQuery('markers', on);
  const times = useTimes();
  return useMemo(() => {
    if (span === null || series.data === null || series.isStale) return null;
    const events = Int32Array.from({ length: rows }, (_, row) => span.first + row * perRow);
    const data: Samples = {
      series: series.data,
      regions: active.regions,
      markers: markers.data?.markers ?? [],
      events,
      perRow,
      last: span.last,
      times: info.hasClock ? times.known : null,
      unit: timeUnitOf(info.durationNs),
    };
    return {
      data,
      fetchRows: (shown) => {
        if (info.hasClock) void times.fetch(shown.map((row) => events[row] as number));
      },
      complete: async () => (info.hasClock ? { ...data, times: await times.fetch([...events]) } : data),
    };
  }, [span, series, rows, perRow, active.regions, markers.data, times, info]);
}

/** First and last event of the visible window. */
function useEventSpan(): { first: number; last: number } | null {
  const { info, device, axis, range } = useActiveTrace();
  const { events } = useActiveDevice();
  const on = { trace: info.trace, device };
  const isTime = axis === 'time';
  const before = useQuery('eventAt', isTime ? { ...on, time: range.from - 1 } : null);
  const until = useQuery('eventAt', isTime ? { ...on, time: range.to } : null);
  return useMemo(() => {
    if (isTime && (before.data === null || until.data === null)) return null;
    const first = isTime ? (before.data as number) + 1 : Math.ceil(range.from);
    const last = isTime ? (until.data as number) : Math.ceil(range.to) - 1;
    const end = Math.min(events - 1, Math.max(first, last));
    return { first: Math.max(0, Math.min(first, end)), last: end };
  }, [isTime, before.data, until.data, range, events]);
}

/** Calls under way at once while times are fetched for an export. */
const BATCH = 128;

/** The times of events, fetched when they are needed and kept. */
function useTimes() {
  const engine = useEngine();
  const { info, device } = useActiveTrace();
  const [known, setKnown] = useState<ReadonlyMap<number, number | null>>(new Map());
  const fetch = useCallback(
    async (events: readonly number[]) => {
      const found = new Map(known);
      const missing = events.filter((event) => !found.has(event));
      for (let from = 0; from < missing.length; from += BATCH) {
        const part = missing.slice(from, from + BATCH);
        const infos = await Promise.all(
          part.map((event) => engine.call('event', { trace: info.trace, device, event })),
        );
        for (const [at, one] of infos.entries()) found.set(part[at] as number, one.time);
      }
      if (missing.length > 0) setKnown((before) => new Map([...before, ...found]));
      return found;
    },
    [engine, info.trace, device, known],
  );
  return useMemo(() => ({ known, fetch }), [known, fetch]);
}
