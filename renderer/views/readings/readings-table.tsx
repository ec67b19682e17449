import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { CounterInfo } from '../../../app/contract/live.ts';
import { useQuery } from '../../engine/use-query.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import { stepsOf } from '../live/sampled-steps.ts';
import { SampledTable } from '../live/sampled-table.tsx';
import { useTimeRange } from './use-time-range.ts';

interface ReadingsTableProps {
  readonly counters: readonly CounterInfo[];
  readonly group: string;
}

/** "0.2 s" in ns; 0 where it is not known. */
function periodOf(text: string | undefined): number {
  const seconds = Number.parseFloat(text ?? '');
  return seconds > 0 ? seconds * 1e9 : 0;
}

/** The readings of a group over the visible window as numbers, its processes too. */
export function ReadingsTable({ counters, group }: ReadingsTableProps) {
  const { t } = useTranslation();
  const { info } = useActiveTrace();
  const { range } = useTimeRange();
  const { data: settings } = useQuery('settings', { trace: info.trace });
  const period = periodOf(settings?.['sampled every']);
  const steps = useMemo(() => stepsOf(range, period), [range, period]);
  const rows = useMemo(
    () => counters.flatMap((counter, row) => (counter.group === group ? [{ counter, row }] : [])),
    [counters, group],
  );
  const { from, to, count } = steps;
  const args = { trace: info.trace, counters: rows.map(({ row }) => row), from, to, columns: count };
  const { data, isStale } = useQuery('counterSeries', rows.length === 0 ? null : args);
  const series = useMemo(() => {
    if (data === null || isStale || data.length !== rows.length) return null;
    return rows.flatMap(({ counter }, at) => {
      const columns = data[at];
      return columns === undefined ? [] : [{ counter, columns }];
    });
  }, [data, isStale, rows]);
  if (series === null) return <div className="data-table" />;
  return (
    <SampledTable
      label={t('live.table.label', { gpu: group })}
      fileName={`${info.name}-${group}`}
      steps={steps}
      series={series}
      originMs={info.originMs}
    />
  );
}
