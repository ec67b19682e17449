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
