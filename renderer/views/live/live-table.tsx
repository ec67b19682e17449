import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type CounterInfo, GPU_METRICS, type GpuMetric } from '../../../app/contract/live.ts';
import { useQuery } from '../../engine/use-query.ts';
import { stepsOf } from './sampled-steps.ts';
import { SampledTable } from './sampled-table.tsx';

export const METRIC_UNITS: Readonly<Record<GpuMetric, CounterInfo['unit']>> = {
  total: 'bytes',
  used: 'bytes',
  reserved: 'bytes',
  free: 'bytes',
  busy: 'percent',
  'memory-busy': 'percent',
  temperature: 'celsius',
  power: 'milliwatts',
  'power-limit': 'milliwatts',
  'core-clock': 'megahertz',
  'memory-clock': 'megahertz',
  'pcie-sent': 'bytes-per-second',
  'pcie-received': 'bytes-per-second',
  energy: 'millijoules',
};

interface LiveTableProps {
  readonly gpu: number;
  readonly name: string;
  /** The end of the held picture, ns. */
  readonly heldAt: number;
  readonly spanSeconds: number;
  readonly hz: number;
  readonly originMs: number;
}

/** The held window of the lanes as numbers. */
export function LiveTable({ gpu, name, heldAt, spanSeconds, hz, originMs }: LiveTableProps) {
  const { t } = useTranslation();
  const steps = useMemo(
    () => stepsOf({ from: Math.max(0, heldAt - spanSeconds * 1e9), to: heldAt }, 1e9 / hz),
    [heldAt, spanSeconds, hz],
  );
  const { from, to, count } = steps;
  const { data, isStale } = useQuery('liveSeries', { gpu, from, to, columns: count });
  const series = useMemo(
    () =>
      data === null || isStale
        ? null
        : GPU_METRICS.map((metric) => ({
            counter: { name: metric, unit: METRIC_UNITS[metric] },
            columns: data[metric],
          })),
    [data, isStale],
  );
  if (series === null) return <div className="data-table" />;
  return (
    <SampledTable
      label={t('live.table.label', { gpu: name })}
      fileName={name}
      steps={steps}
      series={series}
      originMs={originMs}
    />
  );
}
