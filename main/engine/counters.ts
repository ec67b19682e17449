import type { Args, Results } from '../../app/contract/engine.ts';
import type { ReportCounter } from '../../app/contract/report.ts';
import { engineError } from './errors.ts';
import { columnsAt } from './live.ts';
import type { OpenTrace } from './traces.ts';

/** Sampled quantities of a trace, and its named moments. */

export function counters(entry: OpenTrace): Results['counters'] {
  return entry.native.counters();
}

export async function counterSeries(
  entry: OpenTrace,
  args: Args<'counterSeries'>,
): Promise<Results['counterSeries']> {
  if (args.to <= args.from) throw engineError('bad-arguments', 'The window ends before it starts.');
  const windows = args.counters.map((counter) =>
    entry.native.counterWindow(counter, args.from, args.to, args.columns),
  );
  return (await Promise.all(windows)).map((values) => columnsAt(values, 0, args.columns));
}

export async function driver(entry: OpenTrace, args: Args<'driver'>): Promise<Results['driver']> {
  const { device, counter, window } = args;
  const { from, to, columns } = window;
  if (to <= from) throw engineError('bad-arguments', 'The window ends before it starts.');
  const found = entry.native.counters().counters[counter];
  if (found?.unit !== 'bytes') throw engineError('bad-arguments', 'This is no counter of bytes.');
  const [own, difference] = await Promise.all([
    entry.native.counterWindow(counter, from, to, columns),
    entry.native.difference(device, counter, from, to, columns),
  ]);
  const { subtracted, known, negative, smallest, largest } = difference;
  return {
    window,
    driver: columnsAt(own, 0, columns),
    difference: columnsAt(difference.columns, 0, columns),
    subtracted,
    samples: known,
    negative,
    smallest: known === 0 ? null : smallest,
    largest: known === 0 ? null : largest,
  };
}

/** Each over the whole recording. */
export async function reportCounters({ native, info }: OpenTrace): Promise<readonly ReportCounter[]> {
  const known = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? null : value);
  const reported = native.counters().counters.map(async ({ group, name, unit, isProcess }, row) => {
    const [smallest, largest, last] = await native.counterWindow(row, 0, Math.max(1, info.durationNs), 1);
    const values = { smallest: known(smallest), largest: known(largest), last: known(last) };
    return { group, name, unit, process: isProcess, ...values };
  });
  return Promise.all(reported);
}
