import type { AxisName, Engine } from '../../app/contract/engine.ts';
import type { Range } from '../state/store.ts';

/** What is needed to find events on an axis. */
export interface AxisOfTrace {
  readonly engine: Engine;
  readonly trace: string;
  readonly device: number;
  readonly axis: AxisName;
  readonly events: number;
}

/** The event nearest to a place on the axis. */
export async function nearestEvent(on: AxisOfTrace, value: number): Promise<number> {
  const last = on.events - 1;
  if (on.axis === 'event') return Math.max(-1, Math.min(last, Math.floor(value)));
  const before = await on.engine.call('eventAt', { trace: on.trace, device: on.device, time: value });
  if (before >= last) return before;
  const [at, next] = await Promise.all([timeOf(on, before), timeOf(on, before + 1)]);
  return next !== null && (at === null || next - value < value - at) ? before + 1 : before;
}

async function timeOf(on: AxisOfTrace, event: number): Promise<number | null> {
  if (event < 0) return null;
  const { time } = await on.engine.call('event', { trace: on.trace, device: on.device, event });
  return time;
}

/** The moment that holds at a place on the axis: after the last event at or before it. */
export async function momentAtOrBefore(on: AxisOfTrace, value: number): Promise<number> {
  if (on.axis === 'event') return Math.max(-1, Math.min(on.events - 1, Math.floor(value)));
  return on.engine.call('eventAt', { trace: on.trace, device: on.device, time: value });
}

/** A range whose ends lie on events, and hold at least one. */
export async function snapRange(on: AxisOfTrace, range: Range): Promise<Range> {
  if (on.axis === 'event') {
    const from = Math.max(0, Math.round(range.from));
    return { from, to: Math.max(from + 1, Math.min(on.events, Math.round(range.to))) };
  }
  const [first, last] = await Promise.all([nearestEvent(on, range.from), nearestEvent(on, range.to)]);
  const [from, to] = await Promise.all([timeOf(on, first), timeOf(on, last)]);
  const start = from ?? 0;
  return { from: start, to: Math.max(start + 1, (to ?? start) + 1) };
}

/** Where a moment lies on the axis: after event e is the middle of its column, or its time. */
export function momentPosition(axis: AxisName, event: number, time: number | null): number {
  if (event < 0) return 0;
  return axis === 'event' ? event + 0.5 : (time ?? 0);
}
