import type { AxisName, Engine } from '../../app/contract/engine.ts';
import type { EventIndex } from '../../app/domain/units.ts';
import { clampInto, panBy, smallestSpan, span, windowAround, zoomAt } from '../charts/viewport.ts';
import { fullRange, type Range, type TraceState, useStore } from '../state/store.ts';

/**
 * Moves of the cursor and of the visible window. Where an answer of the engine is needed, moves run one after
 * another, so that held keys never overtake each other.
 */

/** The visible window holds this many samples for the arrow keys. */
const SAMPLES = 500;

let queue: Promise<void> = Promise.resolve();

function inTurn(move: () => Promise<void>): void {
  queue = queue.then(move).catch(() => {
    // The trace was closed meanwhile, or the connection is away, which a banner says.
  });
}

function current(trace: string): TraceState | undefined {
  return useStore.getState().traces.find((one) => one.info.trace === trace);
}

export function lastEvent(state: TraceState): EventIndex {
  return (state.info.devices[state.device]?.events ?? 0) - 1;
}

/** Where the moment after an event lies on an axis. */
export async function positionOf(
  engine: Engine,
  state: TraceState,
  axis: AxisName,
  event: EventIndex,
): Promise<number> {
  if (axis === 'event') return Math.max(0, event);
  if (event < 0) return 0;
  const { time } = await engine.call('event', { trace: state.info.trace, device: state.device, event });
  return time ?? 0;
}

/** Moves a window as little as possible so that it shows a position. */
export function showing(range: Range, position: number, full: Range): Range {
  if (position >= range.from && position < range.to) return range;
  const length = span(range);
  const from = position < range.from ? position - length * 0.1 : position - length * 0.9;
  return clampInto({ from, to: from + length }, full);
}

async function setCursor(engine: Engine, state: TraceState, wanted: EventIndex): Promise<void> {
  const cursor = Math.max(-1, Math.min(lastEvent(state), wanted));
  const position = await positionOf(engine, state, state.axis, cursor);
  const range = showing(state.range, position, fullRange(state.info, state.device, state.axis));
  useStore.getState().update(state.info.trace, { cursor, range });
}

/** Sets the cursor to the moment after an event and brings it into view. */
export function goToEvent(engine: Engine, trace: string, event: EventIndex): void {
  inTurn(async () => {
    const state = current(trace);
    if (state !== undefined) await setCursor(engine, state, event);
  });
}

export function stepEvents(engine: Engine, trace: string, count: number): void {
  inTurn(async () => {
    const state = current(trace);
    if (state !== undefined) await setCursor(engine, state, state.cursor + count);
  });
}

/** One sample is a fixed part of the visible window, at least one event. */
export function stepSamples(engine: Engine, trace: string, count: number): void {
  inTurn(async () => {
    const state = current(trace);
    if (state === undefined) return;
    const distance = (span(state.range) / SAMPLES) * count;
    if (state.axis === 'event') {
      const events = Math.sign(count) * Math.max(1, Math.round(Math.abs(distance)));
      return setCursor(engine, state, state.cursor + events);
    }
    const { trace: id } = state.info;
    const time = await positionOf(engine, state, 'time', state.cursor);
    const found = await engine.call('eventAt', { trace: id, device: state.device, time: time + distance });
    const event = count > 0 ? Math.max(found, state.cursor + 1) : Math.min(found, state.cursor - 1);
    await setCursor(engine, state, event);
  });
}

/** To the next or previous marker of the device, of one kind or of any. */
export function stepMarkers(engine: Engine, trace: string, direction: 1 | -1, kind: 'failure' | 'any'): void {
  inTurn(async () => {
    const state = current(trace);
    if (state === undefined) return;
    const { markers } = await engine.call('markers', { trace, device: state.device });
    const events = markers.filter((one) => kind === 'any' || one.kind === kind).map((one) => one.event);
    const event = nextMarker(events, state.cursor, direction, kind === 'failure');
    if (event !== null) await setCursor(engine, state, event);
  });
}

/** The nearest marked event beyond the cursor; going on from the last one begins again when it wraps. */
export function nextMarker(
  events: readonly EventIndex[],
  cursor: EventIndex,
  direction: 1 | -1,
  isWrapping: boolean,
): EventIndex | null {
  const ordered = [...events].sort((one, other) => (one - other) * direction);
  const beyond = ordered.find((event) => (event - cursor) * direction > 0);
  return beyond ?? (isWrapping ? (ordered[0] ?? null) : null);
}

/** Below 1 is closer; around the cursor while it is in view. */
export function zoom(engine: Engine, trace: string, factor: number): void {
  inTurn(async () => {
    const state = current(trace);
    if (state === undefined) return;
    const full = fullRange(state.info, state.device, state.axis);
    const position = await positionOf(engine, state, state.axis, state.cursor);
    const isInView = lastEvent(state) >= 0 && position >= state.range.from && position <= state.range.to;
    const pivot = isInView ? position : (state.range.from + state.range.to) / 2;
    const range = zoomAt(state.range, pivot, factor, full, smallestSpan(state.axis, full));
    useStore.getState().update(trace, { range });
  });
}

/** Pans by a share of the visible window. */
export function pan(trace: string, share: number): void {
  const state = current(trace);
  if (state === undefined) return;
  const full = fullRange(state.info, state.device, state.axis);
  useStore.getState().update(trace, { range: panBy(state.range, span(state.range) * share, full) });
}

export function showAll(trace: string): void {
  const state = current(trace);
  if (state === undefined) return;
  useStore.getState().update(trace, { range: fullRange(state.info, state.device, state.axis) });
}

/** The life of the selected block or segment, or the selected range. */
export function zoomToSelection(engine: Engine, trace: string): void {
  inTurn(async () => {
    const state = current(trace);
    if (state === undefined || state.selection === null) return;
    const full = fullRange(state.info, state.device, state.axis);
    const target = await extentOf(engine, state, full);
    if (target === null) return;
    const range = windowAround(target, full, smallestSpan(state.axis, full));
    useStore.getState().update(trace, { range });
  });
}

async function extentOf(engine: Engine, state: TraceState, full: Range): Promise<Range | null> {
  const { selection, axis } = state;
  const onDevice = { trace: state.info.trace, device: state.device };
  if (selection === null || selection.kind === 'site') return null;
  if (selection.kind === 'range') return selection.range;
  const { birth, death } =
    selection.kind === 'block'
      ? await engine.call('block', { ...onDevice, block: selection.block })
      : await engine.call('segment', { ...onDevice, segment: selection.segment });
  const at = (moment: typeof birth, otherwise: number) =>
    moment === null ? otherwise : axis === 'event' ? moment.event : (moment.time ?? otherwise);
  return { from: at(birth, full.from), to: at(death, full.to) };
}

/** Between time and event order; the visible window keeps its ends. */
export function toggleAxis(engine: Engine, trace: string): void {
  inTurn(async () => {
    const state = current(trace);
    if (state?.info.devices[state.device]?.hasClock !== true) return;
    const axis: AxisName = state.axis === 'time' ? 'event' : 'time';
    const full = fullRange(state.info, state.device, axis);
    const convert = async (value: number) => {
      if (axis === 'time') return positionOf(engine, state, 'time', Math.round(value));
      return engine.call('eventAt', { trace, device: state.device, time: value });
    };
    const isAll =
      state.range.from <= 0 && state.range.to >= fullRange(state.info, state.device, state.axis).to;
    const ends = isAll ? full : { from: await convert(state.range.from), to: await convert(state.range.to) };
    const shortest = smallestSpan(axis, full);
    const range = clampInto({ from: ends.from, to: Math.max(ends.to, ends.from + shortest) }, full);
    const selection = state.selection?.kind === 'range' ? null : state.selection;
    useStore.getState().update(trace, { axis, range, selection });
  });
}
