import { expect, test } from 'vitest';
import type { Engine, TraceInfo } from '../../../app/contract/engine.ts';
import type { RunRequest } from '../../../app/contract/simulation.ts';
import { createEngine } from '../../../main/engine/index.ts';

const common = { device: 0, capacity: null, costModel: null, columns: 100 } as const;
const asRecorded: RunRequest = { allocator: 'pytorch', settings: {} };

async function openSample(name: string): Promise<{ engine: Engine; trace: string; info: TraceInfo }> {
  const engine = createEngine();
  const info = await engine.call('open', { source: { kind: 'sample', name } });
  return { engine, trace: info.trace, info };
}

test('ranks runs that survive before runs that fail, by what they reserve', async () => {
  const { engine, trace } = await openSample('out-of-memory');
  const { runs, recording } = await engine.call('sweep', { trace, ...common, runs: null });
  expect(recording.failureCount).toBe(1);
  expect(recording.capacityFrom).toBe('recorded-failure');
  const firstFailing = runs.findIndex((run) => run.failureCount > 0);
  const survivors = runs.slice(0, firstFailing);
  expect(survivors.length).toBeGreaterThan(0);
  expect(runs.slice(firstFailing).every((run) => run.failureCount > 0)).toBe(true);
  const peaks = survivors.map((run) => run.peakReserved);
  expect(peaks).toEqual([...peaks].sort((one, other) => one - other));
  expect(peaks.every((peak) => peak <= (recording.capacity ?? 0))).toBe(true);
});

test('measures the recording as it measures a run with the recorded settings', async () => {
  for (const name of ['training-step', 'out-of-memory', 'expandable-segments']) {
    const { engine, trace } = await openSample(name);
    const { runs, recording } = await engine.call('sweep', { trace, ...common, runs: null });
    const same = runs.find((run) => run.reproduces !== null);
    expect(same?.reproduces?.matched).toBe(same?.reproduces?.placements);
    expect(same?.reproduces?.segmentEventsMatched).toBe(same?.reproduces?.segmentEvents);
    expect(same?.reproduces?.finalBlocksMatched).toBe(same?.reproduces?.finalBlocks);
    expect(same).toMatchObject({
      peakReserved: recording.peakReserved,
      peakReservedAt: recording.peakReservedAt,
      activeAtPeak: recording.activeAtPeak,
      freeAtPeak: recording.freeAtPeak,
      largestFreeAtPeak: recording.largestFreeAtPeak,
      finalReserved: recording.finalReserved,
      peakAllocated: recording.peakAllocated,
      failureCount: recording.failureCount,
      lowerBound: recording.lowerBound,
    });
    expect(same?.firstFailure).toEqual(recording.firstFailure);
    expect(Math.max(...(same?.timeline.reserved ?? []))).toBe(recording.peakReserved);
  }
});

test('gives the same answer whatever the threads do', async () => {
  const { engine, trace } = await openSample('training-step');
  const once = await engine.call('sweep', { trace, ...common, runs: null });
  const again = await engine.call('sweep', { trace, ...common, runs: null });
  expect(again).toEqual(once);
});

test('opens the run of every allocator as a trace whose numbers are the run’s', async () => {
  const { engine, trace } = await openSample('training-step');
  for (const { name } of await engine.call('simulators', {})) {
    const settings: Record<string, string> = name === 'rmm-arena' ? { arena_size: '20GiB' } : {};
    const args = { trace, ...common, run: { allocator: name, settings }, keep: true };
    const { summary, trace: kept } = await engine.call('simulate', args);
    if (kept === null) throw new Error('the run was not kept');
    const [device] = (await engine.call('report', { trace: kept.trace })).devices;
    expect(kept.source.kind).toBe('simulation');
    expect([name, device?.peak.reserved.bytes]).toEqual([name, summary.peakReserved]);
    expect([name, device?.final.reserved]).toEqual([name, summary.finalReserved]);
    // A report lists a thousand failures at most.
    expect([name, device?.failures.length]).toEqual([name, Math.min(summary.failureCount, 1000)]);
    const end = { trace: kept.trace, device: 0, event: (device?.events ?? 1) - 1 };
    const { total } = await engine.call('moment', end);
    expect([name, total.reserved]).toEqual([name, summary.finalReserved]);
    await engine.call('close', { trace: kept.trace });
  }
});

test('says what the allocator looked at when it served a request', async () => {
  const { engine, trace } = await openSample('training-step');
  const { trace: kept } = await engine.call('simulate', { trace, ...common, run: asRecorded, keep: true });
  const of = { trace: kept?.trace ?? '', device: 0 };
  const last = (kept?.devices[0]?.events ?? 1) - 1;
  const event = await engine.call('event', { ...of, event: last });
  expect(event.action).not.toBe('');
  await expect(engine.call('decisions', { ...of, event: last })).resolves.toBeDefined();
  await expect(engine.call('decisions', { trace, device: 0, event: 0 })).rejects.toMatchObject({
    code: 'not-a-simulation',
  });
});

test('names a setting that is not there and a value that cannot be', async () => {
  const { engine, trace } = await openSample('training-step');
  const refusal = (run: RunRequest) => engine.call('simulate', { trace, ...common, run, keep: false });
  await expect(refusal({ allocator: 'jemalloc', settings: {} })).rejects.toMatchObject({
    code: 'unknown-allocator',
  });
  await expect(refusal({ allocator: 'bfc', settings: { grwoth: '1' } })).rejects.toMatchObject({
    code: 'unknown-setting',
    message: 'This allocator has no setting called "grwoth" (value "1").',
  });
  await expect(
    refusal({ allocator: 'pytorch', settings: { PYTORCH_CUDA_ALLOC_CONF: 'max_split_size_mb:1' } }),
  ).rejects.toMatchObject({ code: 'bad-setting' });
});

test('lists a run that cannot start with its reason, and goes on with the others', async () => {
  const { engine, trace } = await openSample('training-step');
  const runs = [{ allocator: 'rmm-arena', settings: {} }, asRecorded];
  const result = await engine.call('sweep', { trace, ...common, runs });
  expect(result.runs).toHaveLength(1);
  expect(result.refused).toMatchObject([{ run: runs[0], code: 'missing-setting' }]);
});

test('reports the first request that a small device cannot serve', async () => {
  const { engine, trace } = await openSample('training-step');
  const run = { allocator: 'direct', settings: {} };
  const args = { trace, ...common, capacity: 2 ** 33, run, keep: false };
  const { summary } = await engine.call('simulate', args);
  expect(summary.capacityFrom).toBe('given');
  expect(summary.failureCount).toBeGreaterThan(0);
  expect(summary.peakReserved).toBeLessThanOrEqual(2 ** 33);
  expect(summary.firstFailure?.deviceFree).toBeLessThan(summary.firstFailure?.requested ?? 0);
});

test('can be cancelled', async () => {
  const { engine, trace } = await openSample('training-step');
  const controller = new AbortController();
  controller.abort();
  const sweep = engine.call('sweep', { trace, ...common, runs: null }, { signal: controller.signal });
  await expect(sweep).rejects.toMatchObject({ code: 'cancelled' });
});
