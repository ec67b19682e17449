import type { RunSummary } from '../../../app/contract/simulation.ts';
import { countCalls, estimateCost } from '../../../app/domain/cost-model.ts';
import { type Recording, roomOf } from '../../../app/domain/runs.ts';
import type { Column } from '../../charts/table-model.ts';
import type { Format } from '../../i18n/use-format.ts';
import { fragmentationAtPeak } from './rows.ts';
import type { RunWords } from './run-words.ts';
import type { RunEntry } from './what-if-store.ts';

export interface ColumnWords {
  readonly t: (key: ColumnKey) => string;
  readonly runs: RunWords;
  readonly format: Format;
  readonly moment: (run: RunSummary) => string;
}

export type ColumnKey =
  | 'allocator'
  | 'settings'
  | 'peak'
  | 'against'
  | 'active'
  | 'free'
  | 'hole'
  | 'fragmentation'
  | 'final'
  | 'bound'
  | 'capacity'
  | 'room'
  | 'calls'
  | 'cost'
  | 'failures'
  | 'failed';

/** Every number of every run, for the table that is sorted and exported. */
export function runColumns(
  runs: readonly RunEntry[],
  recording: Recording,
  costModel: Parameters<typeof estimateCost>[1],
  words: ColumnWords,
): readonly Column[] {
  const { format } = words;
  const of = <T>(row: number, read: (summary: RunSummary) => T): T | null => {
    const summary = runs[row]?.summary ?? null;
    return summary === null ? null : read(summary);
  };
  const column = (
    key: string,
    label: ColumnKey,
    width: number,
    value: (summary: RunSummary) => number | null,
    write: (value: number) => string,
    exact?: (value: number) => string,
  ): Column => ({
    key,
    label: words.t(label),
    group: '',
    width,
    value: (row) => of(row, value),
    text: (row) => {
      const known = of(row, value);
      return known === null ? '' : write(known);
    },
    ...(exact === undefined ? {} : { title: (row: number) => exactText(of(row, value), exact) }),
  });
  const bytes = (key: string, label: ColumnKey, value: (summary: RunSummary) => number | null) =>
    column(`${key}_bytes`, label, 84, value, format.bytes, format.exact);
  const against = (run: RunSummary) => run.peakReserved - recording.peakReserved;
  return [
    ...nameColumns(runs, words),
    bytes('peak_reserved', 'peak', (run) => run.peakReserved),
    column('against_recording_bytes', 'against', 84, against, format.difference, format.exact),
    bytes('active_at_peak', 'active', (run) => run.activeAtPeak),
    bytes('free_at_peak', 'free', (run) => run.freeAtPeak),
    bytes('largest_free_at_peak', 'hole', (run) => run.largestFreeAtPeak),
    column('fragmentation_at_peak', 'fragmentation', 98, fragmentationAtPeak, format.percent),
    bytes('final_reserved', 'final', (run) => run.finalReserved),
    bytes('lower_bound', 'bound', (run) => run.lowerBound),
    bytes('capacity', 'capacity', (run) => run.capacity),
    bytes('room', 'room', roomOf),
    column('driver_calls', 'calls', 78, (run) => countCalls(run.calls), format.count),
    column(
      'estimated_cost_ns',
      'cost',
      78,
      (run) => estimateCost(run.calls, costModel),
      (cost) => `≈ ${format.duration(cost)}`,
    ),
    column('failures', 'failures', 78, (run) => run.failureCount, format.count),
    {
      key: 'first_failure_event',
      label: words.t('failed'),
      group: '',
      width: 84,
      value: (row) => of(row, (run) => run.firstFailure?.event ?? null),
      text: (row) => of(row, (run) => (run.firstFailure === null ? '' : words.moment(run))) ?? '',
    },
  ];
}

function exactText(value: number | null, write: (value: number) => string): string {
  return value === null ? '' : write(value);
}

function nameColumns(runs: readonly RunEntry[], { t, runs: words }: ColumnWords): readonly Column[] {
  const text = (read: (run: RunEntry) => string) => (row: number) => {
    const run = runs[row];
    return run === undefined ? '' : read(run);
  };
  const named = (key: string, label: ColumnKey, read: (run: RunEntry) => string, width: number): Column => ({
    key,
    label: t(label),
    group: '',
    width,
    isText: true,
    value: text(read),
    text: text(read),
    title: text(read),
  });
  return [
    named('allocator', 'allocator', (run) => words.name(run.request), 120),
    named('settings', 'settings', (run) => words.settings(run.request), 150),
  ];
}
