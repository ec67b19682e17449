import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type CounterInfo, GPU_METRICS, type GpuMetric } from '../../../app/contract/live.ts';
import { type Format, useFormat } from '../../i18n/use-format.ts';

/** Counts above it are written short; exports have them in full. */
const LONG = 1e7;

export interface CounterWords {
  name(counter: Pick<CounterInfo, 'name'>): string;
  value(value: number, unit: CounterInfo['unit']): string;
}

/** What sampled quantities are called, and how their values are written. A name of the file's own stays as it is. */
export function useCounterWords(): CounterWords {
  const { t } = useTranslation();
  const format = useFormat();
  return useMemo(() => counterWords(t, format), [t, format]);
}

const isMetric = (name: string): name is GpuMetric => GPU_METRICS.some((metric) => metric === name);

function counterWords(t: TFunction, format: Format): CounterWords {
  const compact = new Intl.NumberFormat(format.locale, { notation: 'compact', maximumSignificantDigits: 4 });
  const rounded = (value: number) => format.number(Math.round(value * 10) / 10);
  return {
    name: ({ name }) => (isMetric(name) ? t(`live.metrics.${name}`) : name),
    value: (value, unit) => {
      switch (unit) {
        case 'bytes':
          return format.bytes(value);
        case 'bytes-per-second':
          return t('live.perSecond', { bytes: format.bytes(value) });
        case 'percent':
          return `${rounded(value)} %`;
        case 'celsius':
          return `${rounded(value)} °C`;
        case 'milliwatts':
          return `${rounded(value / 1000)} W`;
        case 'millijoules':
          return `${format.count(value / 1000)} J`;
        case 'megahertz':
          return `${format.count(value)} MHz`;
        case 'count':
          return Math.abs(value) < LONG ? rounded(value) : compact.format(value);
      }
    },
  };
}
