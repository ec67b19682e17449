import { beforeEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../../app/contract/engine.ts';
import * as cursor from '../../../renderer/commands/cursor.ts';
import { startingPoint } from '../../../renderer/state/openings.ts';
import { useStore } from '../../../renderer/state/store.ts';
import { FakeEngine } from '../fake/fake-engine.ts';

let engine: Engine;
let trace: string;
const state = () =>
  useStore.getState().traces.find((one) => one.info.trace === trace) ?? expect.fail('closed');

/** Moves run one after another; a round trip through the same queue waits for those before it. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 40; turn++) await Promise.resolve();
  await new Promise((resolve) => setTimeout(resolve, 0));
}

async function openTrace(name: string): Promise<void> {
  engine = new FakeEngine();
  useStore.getState().closeAll();
  const info = await engine.call('open', { source: { kind: 'path', path: `/captures/${name}.pickle` } });
  useStore.getState().addTrace(info, startingPoint(info));
  trace = info.trace;
}

describe('the cursor', () => {
  beforeEach(() => openTrace('training-step'));

  it('starts at the peak of the device with most memory', () => {
    expect(state().cursor).toBe(state().info.devices[0]?.peakReservedEvent);
  });

  it('goes to the moment before the first event and to the last one, and no further', async () => {
    cursor.goToEvent(engine, trace, -5);
    await settled();
    expect(state().cursor).toBe(-1);
    cursor.goToEvent(engine, trace, 1e9);
    await settled();
    expect(state().cursor).toBe((state().info.devices[0]?.events ?? 0) - 1);
  });

  it('moves one event at a time, however fast the key repeats', async () => {
    cursor.goToEvent(engine, trace, 10);
    for (let press = 0; press < 5; press++) cursor.stepEvents(engine, trace, 1);
    await settled();
    expect(state().cursor).toBe(15);
  });

  it('moves by samples of the visible window, at least one event', async () => {
    cursor.goToEvent(engine, trace, 100);
    await settled();
    cursor.zoom(engine, trace, 0.001);
    await settled();
    cursor.stepSamples(engine, trace, 1);
    await settled();
    expect(state().cursor).toBe(101);
    cursor.stepSamples(engine, trace, -1);
    await settled();
    expect(state().cursor).toBe(100);
  });

  it('brings the window along', async () => {
    cursor.goToEvent(engine, trace, 10);
    await settled();
    cursor.zoom(engine, trace, 0.01);
    await settled();
    cursor.goToEvent(engine, trace, 500);
    await settled();
    const { time } = await engine.call('event', { trace, device: 0, event: 500 });
    expect(state().range.from).toBeLessThanOrEqual(time ?? 0);
    expect(state().range.to).toBeGreaterThan(time ?? 0);
  });

  it('keeps its moment when the axis changes', async () => {
    cursor.goToEvent(engine, trace, 123);
    cursor.toggleAxis(engine, trace);
    await settled();
    expect(state().axis).toBe('event');
    expect(state().cursor).toBe(123);
    expect(state().range).toEqual({ from: 0, to: state().info.devices[0]?.events });
  });

  it('finds failed requests', async () => {
    await openTrace('fragmented');
    cursor.stepMarkers(engine, trace, 1, 'failure');
    await settled();
    const { markers } = await engine.call('markers', { trace, device: 0 });
    expect(state().cursor).toBe(markers.find((one) => one.kind === 'failure')?.event);
  });
});

describe('markers', () => {
  it('are walked in order, and failures from the last to the first again', () => {
    expect(cursor.nextMarker([40, 10, 30], 10, 1, false)).toBe(30);
    expect(cursor.nextMarker([40, 10, 30], 30, -1, false)).toBe(10);
    expect(cursor.nextMarker([40, 10, 30], 40, 1, false)).toBeNull();
    expect(cursor.nextMarker([40, 10, 30], 40, 1, true)).toBe(10);
    expect(cursor.nextMarker([], 3, 1, true)).toBeNull();
  });
});
