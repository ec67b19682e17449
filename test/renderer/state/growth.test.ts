import { describe, expect, it } from 'vitest';
import type { DeviceInfo, TraceInfo } from '../../../app/contract/engine.ts';
import { isAtEnd, placeAfterGrowth } from '../../../renderer/state/growth.ts';
import type { TraceState } from '../../../renderer/state/store.ts';
import { FakeTrace } from '../fake/fake-trace.ts';

const template = new FakeTrace('t1', { name: 'live' }).info();
const device = template.devices[0] as DeviceInfo;

function info(events: number, durationNs: number, more: Partial<DeviceInfo> = {}): TraceInfo {
  const grown = { ...device, events, olderBlocks: 0, olderSegments: 0, ...more };
  return { ...template, hasClock: true, originMs: 1000, durationNs, devices: [grown] } as TraceInfo;
}

function state(of: TraceInfo, more: Partial<TraceState>): TraceState {
  return {
    info: of,
    view: 'timeline',
    device: 0,
    axis: 'time',
    range: { from: 0, to: of.durationNs + 1 },
    cursor: (of.devices[0]?.events ?? 0) - 1,
    selection: null,
    mapRegion: 'pooled',
    isTableOpen: false,
    ...more,
  };
}

const before = info(100, 1000);
const after = info(150, 1600);

describe('a trace that grows', () => {
  it('goes on to show all of itself, with the cursor at its end', () => {
    expect(placeAfterGrowth(state(before, {}), after)).toMatchObject({
      range: { from: 0, to: 1601 },
      cursor: 149,
    });
  });

  it('moves a window that shows the end along, as wide as it was', () => {
    const near = state(before, { range: { from: 801, to: 1001 } });
    expect(isAtEnd(near)).toBe(true);
    expect(placeAfterGrowth(near, after).range).toEqual({ from: 1401, to: 1601 });
    const events = state(before, { axis: 'event', range: { from: 90, to: 100 } });
    expect(placeAfterGrowth(events, after).range).toEqual({ from: 140, to: 150 });
  });

  it('leaves a window and a cursor in the past where they are', () => {
    const past = state(before, { range: { from: 100, to: 300 }, cursor: 20 });
    const place = placeAfterGrowth(past, after);
    expect(place.range).toBe(past.range);
    expect(place.cursor).toBe(20);
  });

  it('follows with the window alone when only the window is at the end', () => {
    expect(placeAfterGrowth(state(before, { cursor: 20 }), after)).toMatchObject({
      range: { to: 1601 },
      cursor: 20,
    });
  });

  it('keeps the moment when something earlier is told later, and time 0 is another', () => {
    const past = state(before, { range: { from: 100, to: 300 } });
    expect(placeAfterGrowth(past, { ...after, originMs: 999 }).range).toEqual({
      from: 1_000_100,
      to: 1_000_300,
    });
  });

  it('stays on the device when another one comes before it', () => {
    const other = { ...device, ordinal: 7, events: 5 };
    const two = { ...after, devices: [other, ...after.devices] };
    expect(placeAfterGrowth(state(before, {}), two)).toMatchObject({ device: 1, cursor: 149 });
  });

  it('keeps the selected block when blocks turn out to be older than the recording', () => {
    const older = info(150, 1600, { olderBlocks: 3, olderSegments: 1 });
    const block = (row: number) => state(before, { selection: { kind: 'block', block: row } });
    expect(placeAfterGrowth(block(5), older).selection).toEqual({ kind: 'block', block: 8 });
    expect(placeAfterGrowth(block(5), after).selection).toEqual({ kind: 'block', block: 5 });
    const had = { ...block(1), info: info(100, 1000, { olderBlocks: 2 }) };
    expect(placeAfterGrowth(had, older).selection).toEqual({ kind: 'block', block: 1 });
    const segment = state(before, { selection: { kind: 'segment', segment: 4 } });
    expect(placeAfterGrowth(segment, after).selection).toEqual({ kind: 'segment', segment: 4 });
    expect(placeAfterGrowth(segment, older).selection).toBeNull();
  });
});
