import { useMemo } from 'react';
import type { MomentResult } from '../../app/contract/engine.ts';
import { useEngine } from '../engine/engine.ts';
import { useQuery } from '../engine/use-query.ts';
import { useActiveDevice, useActiveTrace } from '../state/active-trace.ts';
import type { AxisOfTrace } from './snap.ts';
import { momentPosition } from './snap.ts';

/** The numbers of the cursor's moment, and where it lies on the axis; null until the engine said it once. */
export interface CursorState {
  readonly moment: MomentResult | null;
  readonly position: number | null;
}

export function useCursor(): CursorState {
  const { info, device, cursor, axis } = useActiveTrace();
  const { data } = useQuery('moment', { trace: info.trace, device, event: cursor });
  return useMemo(() => {
    if (axis === 'event') return { moment: data, position: momentPosition(axis, cursor, null) };
    return { moment: data, position: data === null ? null : momentPosition(axis, data.event, data.time) };
  }, [data, axis, cursor]);
}

/** What finding events on the axis of the active trace needs. */
export function useAxisOfTrace(): AxisOfTrace {
  const engine = useEngine();
  const { info, device, axis } = useActiveTrace();
  const { events } = useActiveDevice();
  return useMemo(
    () => ({ engine, trace: info.trace, device, axis, events }),
    [engine, info.trace, device, axis, events],
  );
}
