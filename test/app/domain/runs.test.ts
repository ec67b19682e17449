import { describe, expect, it } from 'vitest';
import type { RunSummary, SimulatorInfo } from '../../../app/contract/simulation.ts';
import { countCalls, DEFAULT_COST_MODEL, estimateCost } from '../../../app/domain/cost-model.ts';
import {
  answerOf,
  roomOf,
  runKey,
  settingsText,
  whyNotSimulated,
  withoutDefaults,
} from '../../../app/domain/runs.ts';
import { parseSize, typedSize } from '../../../app/domain/size.ts';

const GIB = 1024 ** 3;
const start = { event: 0, time: null };
const calls = { allocate: 3, free: 2, reserve: 1, map: 0, unmap: 0, synchronize: 4, refused: 1 };

function run(allocator: string, gib: number, part: Partial<RunSummary> = {}): RunSummary {
  return {
    allocator,
    settings: {},
    capacity: null,
    capacityFrom: 'none',
    peakReserved: gib * GIB,
    peakReservedAt: start,
    finalReserved: 0,
    peakAllocated: 0,
    lowerBound: 0,
    activeAtPeak: 0,
    freeAtPeak: 0,
    largestFreeAtPeak: 0,
    peakFragmentation: null,
    requests: 10,
    calls,
    estimatedCostNs: 0,
    failureCount: 0,
    firstFailure: null,
    caveats: [],
    reproduces: null,
    timeline: { reserved: new Float64Array(1), active: new Float64Array(1) },
    ...part,
  };
}

const recorded = (gib: number, part: Partial<RunSummary> = {}) => ({
  ...run('', gib, part),
  isReservedKnown: true,
});
const failedAt = (event: number): Partial<RunSummary> => ({
  failureCount: 1,
  firstFailure: { event, time: null, requested: 1, free: 0, largestFree: 0, deviceFree: 0 },
});
const replay = (gib: number, part: Partial<RunSummary> = {}) =>
  run('pytorch', gib, {
    reproduces: {
      placements: 10,
      matched: 10,
      segmentEvents: 0,
      segmentEventsMatched: 0,
      finalBlocks: 0,
      finalBlocksMatched: 0,
    },
    ...part,
  });
const simulators: readonly SimulatorInfo[] = [
  { name: 'pytorch', knobs: [], isModel: false },
  { name: 'bfc', knobs: [], isModel: false },
  { name: 'plan', knobs: [], isModel: true },
];

describe('what would have helped', () => {
  it('is another setting of the same allocator before another allocator', () => {
    const expandable = run('pytorch', 9, { settings: { expandable_segments: 'True' } });
    const answer = answerOf(recorded(10), [run('bfc', 8), expandable, replay(10)], simulators, 'pytorch');
    expect(answer).toMatchObject({ kind: 'less', best: expandable, less: GIB, worst: null });
  });

  it('names the setting of that allocator that makes it worst', () => {
    const expandable = run('pytorch', 9, { settings: { expandable_segments: 'True' } });
    const split = run('pytorch', 12, { settings: { max_split_size_mb: '100' } });
    const answer = answerOf(
      recorded(10),
      [expandable, replay(10), split, run('bfc', 20)],
      simulators,
      'pytorch',
    );
    expect(answer).toMatchObject({ kind: 'less', worst: split, more: 2 * GIB });
  });

  it('is never a model that no driver follows', () => {
    const answer = answerOf(
      recorded(10),
      [run('plan', 5), replay(10), run('bfc', 11)],
      simulators,
      'pytorch',
    );
    expect(answer).toMatchObject({ kind: 'none-less', next: { allocator: 'bfc' }, more: GIB });
  });

  it('is, after an out of memory, who survives and with how much room', () => {
    const limit = { capacity: 10 * GIB };
    const ranked = [run('bfc', 8, limit), run('pytorch', 9, limit), replay(10, failedAt(3))];
    const answer = answerOf(recorded(10, failedAt(3)), ranked, simulators, 'pytorch');
    expect(answer).toMatchObject({ kind: 'survived', best: { allocator: 'pytorch' }, others: 1, room: GIB });
  });

  it('is, where nobody survives, who comes furthest', () => {
    const ranked = [replay(10, failedAt(3)), run('bfc', 10, failedAt(7)), run('pytorch', 10, failedAt(5))];
    const answer = answerOf(recorded(10, failedAt(3)), ranked, simulators, 'pytorch');
    expect(answer).toMatchObject({ kind: 'none-survived', furthest: { allocator: 'bfc' } });
  });

  it('is, where the capture does not say what was reserved, the run that needs least', () => {
    const blocks = { ...recorded(10), isReservedKnown: false };
    const answer = answerOf(blocks, [run('bfc', 12), run('pytorch', 11)], simulators, null);
    expect(answer).toMatchObject({ kind: 'least', next: { allocator: 'pytorch' } });
  });

  it('is, on a device too small for every run, who comes furthest', () => {
    const ranked = [run('bfc', 10, failedAt(7)), run('pytorch', 10, failedAt(5))];
    const answer = answerOf(recorded(10), ranked, simulators, null);
    expect(answer).toMatchObject({ kind: 'none-fits', furthest: { allocator: 'bfc' } });
  });

  it('is nothing without a run to compare with', () => {
    expect(answerOf(recorded(10), [replay(10)], simulators, 'pytorch')).toEqual({ kind: 'nothing' });
  });
});

describe('a device', () => {
  it('has no requests to simulate where only states or only totals were recorded', () => {
    const device = { events: 5, hasHistory: true, layout: 'segments' } as const;
    expect(whyNotSimulated(device)).toBeNull();
    expect(whyNotSimulated({ ...device, layout: 'blocks' })).toBeNull();
    expect(whyNotSimulated({ ...device, events: 0 })).toBe('states');
    expect(whyNotSimulated({ ...device, hasHistory: false })).toBe('states');
    expect(whyNotSimulated({ ...device, layout: 'totals' })).toBe('totals');
  });
});

describe('a run', () => {
  it('is written as the users of its allocator write it', () => {
    const settings = { expandable_segments: 'True', max_split_size_mb: '100' };
    expect(settingsText({ allocator: 'pytorch', settings })).toBe(
      'expandable_segments:True,max_split_size_mb:100',
    );
    expect(settingsText({ allocator: 'bfc', settings: { allow_growth: 'false' } })).toBe(
      'allow_growth=false',
    );
  });

  it('is the same whatever the order of its settings', () => {
    const one = runKey({ allocator: 'a', settings: { x: '1', y: '2' } });
    expect(runKey({ allocator: 'a', settings: { y: '2', x: '1' } })).toBe(one);
    expect(runKey({ allocator: 'a', settings: { x: '1' } })).not.toBe(one);
  });

  it('leaves out settings that are at their defaults', () => {
    const knob = { kind: 'count', choices: [], least: null, most: null } as const;
    const simulator = { name: 'a', isModel: false, knobs: [{ ...knob, name: 'x', initial: '20' }] };
    const settings = { x: '20', y: '1' };
    expect(withoutDefaults({ allocator: 'a', settings }, simulator).settings).toEqual({ y: '1' });
  });

  it('has no room beyond a device that it fills, and none to name without a limit', () => {
    expect(roomOf({ capacity: 10, peakReserved: 12 })).toBe(0);
    expect(roomOf({ capacity: null, peakReserved: 12 })).toBeNull();
  });
});

it('a cost is calls × what each is taken to cost, and every call counts', () => {
  const { allocate, free, synchronize } = DEFAULT_COST_MODEL;
  expect(estimateCost(calls, DEFAULT_COST_MODEL)).toBe(3 * allocate + 2 * free + 4 * synchronize);
  expect(countCalls(calls)).toBe(10);
});

describe('a size', () => {
  it.each([
    ['24 GiB', 24 * GIB],
    ['1.5gib', 1.5 * GIB],
    ['80 GB', 80e9],
    ['25,769,803,776', 24 * GIB],
    ['512', 512],
  ])('is read from %s', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  it.each(['', 'GiB', '-1', '0', '1 PiB', '24 G i B', '99999999999999999', '1e9'])('is not %j', (text) => {
    expect(parseSize(text)).toBeNull();
  });

  it('is typed in the largest unit that says it exactly, and read back as it was', () => {
    expect(typedSize(24 * GIB)).toBe('24 GiB');
    expect(typedSize(13264 * 1024 ** 2)).toBe('13264 MiB');
    for (const bytes of [1, 1000, 1536, 1.5 * GIB, 13_908_312_065]) {
      expect(parseSize(typedSize(bytes))).toBe(bytes);
    }
  });
});
