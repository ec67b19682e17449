import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { CounterInfo, SampledColumns } from '../../../app/contract/live.ts';
import { DataTable } from '../../charts/data-table.tsx';
import { largestKnown } from '../../charts/sampled-path.ts';
import type { Column } from '../../charts/table-model.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { type CounterWords, useCounterWords } from './counter-words.ts';
import type { Steps } from './sampled-steps.ts';

export interface TableSeries {
  readonly counter: Pick<CounterInfo, 'name' | 'unit'>;
  readonly columns: SampledColumns;
}

interface SampledTableProps {
  readonly label: string;
  readonly fileName: string;
  readonly steps: Steps;
  readonly series: readonly TableSeries[];
  /** Wall clock of time 0, ms; null when it is not known. */
  readonly originMs: number | null;
}

/** The lanes as numbers: for each step the lowest and the highest of what was in force; unknown stays empty. */
export function SampledTable({ label, fileName, steps, series, originMs }: SampledTableProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const counterWords = useCounterWords();
  const columns = useMemo(() => {
    const known = series.filter(({ columns: { max } }) => largestKnown(max) !== null);
    const words = { ...counterWords, lowest: t('live.table.lowest'), highest: t('live.table.highest') };
    const time: Column = {
      key: 'time_ns',
      label: t('live.table.time'),
      group: '',
      width: 110,
      value: (row) => steps.from + row * steps.step,
      text: (row) => format.time(steps.from + row * steps.step, 's', decimalsOf(steps.step)),
    };
    return [
      time,
      ...(originMs === null ? [] : [clockColumn(steps, originMs, t('live.table.clock'), format.locale)]),
      ...known.flatMap((one) => valueColumns(one, words)),
    ];
  }, [series, steps, originMs, t, format, counterWords]);
  return (
    <DataTable
      label={label}
      columns={columns}
      count={steps.count}
      fileName={fileName}
      note={t('live.table.note', { step: format.duration(steps.step) })}
      selected={null}
      onSelect={() => {}}
    />
  );
}

/** As many as tell two steps apart. */
function decimalsOf(step: number): number {
  return Math.min(3, Math.max(0, Math.ceil(-Math.log10(step / 1e9))));
}

function clockColumn(steps: Steps, originMs: number, label: string, locale: string): Column {
  const at = (row: number) => new Date(originMs + (steps.from + row * steps.step) / 1e6);
  const digits = decimalsOf(steps.step) as 0 | 1 | 2 | 3;
  const shown = new Intl.DateTimeFormat(locale, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    ...(digits === 0 ? {} : { fractionalSecondDigits: digits }),
  });
  return {
    key: 'clock',
    label,
    group: '',
    width: 110,
    value: (row) => at(row).toISOString(),
    text: (row) => shown.format(at(row)),
    title: (row) => at(row).toISOString(),
  };
}

/** What hardly ever changes has one column. */
const STEADY = new Set(['total', 'power-limit', 'energy']);

type ValueWords = CounterWords & { readonly lowest: string; readonly highest: string };

function valueColumns({ counter, columns }: TableSeries, words: ValueWords): readonly Column[] {
  const group = words.name(counter);
  const one = (part: 'min' | 'max', label: string): Column => {
    const valueAt = (row: number) => {
      const value = columns[part][row] ?? Number.NaN;
      return Number.isNaN(value) ? null : value;
    };
    return {
      key: `${counter.name}_${part}_${counter.unit}`.replaceAll('-', '_'),
      label,
      group,
      width: 92,
      value: valueAt,
      text: (row) => {
        const value = valueAt(row);
        return value === null ? '' : words.value(value, counter.unit);
      },
    };
  };
  if (STEADY.has(counter.name)) return [{ ...one('max', words.highest), width: 116 }];
  return [one('min', words.lowest), one('max', words.highest)];
}
