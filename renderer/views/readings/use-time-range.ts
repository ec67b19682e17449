import { useVisibleRange } from '../../charts/live.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import { fullRange, type Range } from '../../state/store.ts';

/** Samples have times and no place among events: while the trace is looked at by events, all of the time is shown. */
export function useTimeRange(): { readonly range: Range; readonly isFixed: boolean } {
  const { info, axis } = useActiveTrace();
  const range = useVisibleRange();
  return axis === 'time' ? { range, isFixed: false } : { range: fullRange(info, 0, 'time'), isFixed: true };
}
