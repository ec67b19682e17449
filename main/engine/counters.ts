import type { Args, Results } from '../../app/contract/engine.ts';
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
