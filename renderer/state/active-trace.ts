import { createContext, useCallback, useContext, useMemo } from 'react';
import type { DeviceInfo } from '../../app/contract/engine.ts';
import { type TraceState, useStore } from './store.ts';

const ActiveTrace = createContext<TraceState | null>(null);

/** The frame wraps every view of a trace in it. */
export const ActiveTraceProvider = ActiveTrace.Provider;

/** The trace whose view this is. Its range is where the visible range last rested: what moves uses charts/live.ts. */
export function useActiveTrace(): TraceState {
  const trace = useContext(ActiveTrace);
  if (trace === null) throw new Error('useActiveTrace outside a view of a trace');
  return trace;
}

/** The same object while only the visible range changes, for what does not depend on it: panning renders no more than it moves. */
export function useSteadyTrace(trace: TraceState): TraceState {
  const { info, view, device, axis, cursor, selection, mapRegion, isTableOpen } = trace;
  // biome-ignore lint/correctness/useExhaustiveDependencies: all of the trace but its range
  return useMemo(() => trace, [info, view, device, axis, cursor, selection, mapRegion, isTableOpen]);
}

/** The device that is looked at; its position in `info.devices` is `useActiveTrace().device`. */
export function useActiveDevice(): DeviceInfo {
  const { info, device } = useActiveTrace();
  const active = info.devices[device];
  if (active === undefined) throw new Error(`${info.name} has no device at position ${device}`);
  return active;
}

/** Whether a device holds one state and nothing that led to it: a failed request may be its only event. */
export function isInstant({ hasHistory, events }: DeviceInfo): boolean {
  return !hasHistory && events <= 1;
}

/** Changes parts of the active trace's state. */
export function useUpdateTrace(): (change: Partial<Omit<TraceState, 'info'>>) => void {
  const { trace } = useActiveTrace().info;
  return useCallback((change) => useStore.getState().update(trace, change), [trace]);
}
