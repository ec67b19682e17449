import { useMemo } from 'react';
import {
  type CounterInfo,
  GPU_METRICS,
  type GpuMetric,
  type SampledColumns,
} from '../../../app/contract/live.ts';
import { useQuery } from '../../engine/use-query.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import type { Range } from '../../state/store.ts';
import type { SampledSeries } from '../live/lanes.tsx';

export interface CounterSeries {
  readonly counter: CounterInfo;
  readonly columns: SampledColumns;
}

/** What is known of a group over a window: the readings of a GPU by metric, and counters of any other name. */
export interface ReadingSeries {
  readonly gpu: SampledSeries;
  readonly others: readonly CounterSeries[];
  /** While it is still what was asked for before. */
  readonly isStale: boolean;
}

const METRICS: ReadonlySet<string> = new Set(GPU_METRICS);
/** Lanes of counters that are no GPU's; more would not be read. */
const MOST_OTHERS = 60;

/** The counters of a group that are lanes, with their rows. */
export function laneCounters(counters: readonly CounterInfo[], group: string) {
  const own = counters.flatMap((counter, row) =>
    counter.group === group && !counter.isProcess ? [{ counter, row }] : [],
  );
  const gpu = own.filter(({ counter }) => METRICS.has(counter.name));
  const others = own.filter(({ counter }) => !METRICS.has(counter.name));
  return { gpu, others: others.slice(0, MOST_OTHERS), hidden: Math.max(0, others.length - MOST_OTHERS) };
}

/** The lanes of a group over a window, or null while they are fetched. */
export function useReadings(
  counters: readonly CounterInfo[],
  group: string,
  range: Range,
  columns: number,
): ReadingSeries | null {
  const { info } = useActiveTrace();
  const lanes = useMemo(() => laneCounters(counters, group), [counters, group]);
  const all = [...lanes.gpu, ...lanes.others];
  const args = {
    trace: info.trace,
    counters: all.map(({ row }) => row),
    from: range.from,
    to: range.to,
    columns: Math.min(Math.max(1, columns), 16384),
  };
  const { data, isStale } = useQuery('counterSeries', all.length === 0 || columns <= 0 ? null : args);
  return useMemo(() => {
    const { gpu, others } = lanes;
    if (data === null || data.length !== gpu.length + others.length) return null;
    return {
      isStale,
      gpu: Object.fromEntries(
        gpu.map(({ counter }, at) => [counter.name as GpuMetric, data[at] as SampledColumns]),
      ),
      others: others.map(({ counter }, at) => ({
        counter,
        columns: data[gpu.length + at] as SampledColumns,
      })),
    };
  }, [data, isStale, lanes]);
}
