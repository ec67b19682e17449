import type { TraceInfo } from '../../app/contract/engine.ts';
import type { ViewName } from './store.ts';

/** Why a view has nothing to show of a trace: a reason that the frame puts into words. */
export type ViewReason = 'needsBlocks' | 'needsReadings';

/** Null: the view can be opened. A trace of sampled totals has no blocks; most others hold no readings. */
export function reasonAgainst(
  view: ViewName,
  info: Pick<TraceInfo, 'devices' | 'counters'>,
): ViewReason | null {
  if (view === 'readings') return info.counters > 0 || info.devices.length === 0 ? null : 'needsReadings';
  return info.devices.length > 0 ? null : 'needsBlocks';
}

/** What a trace shows first. */
export function firstView(info: Pick<TraceInfo, 'devices' | 'counters'>): ViewName {
  return reasonAgainst('overview', info) === null ? 'overview' : 'readings';
}
