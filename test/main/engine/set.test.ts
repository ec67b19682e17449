import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileSource, ProgressInfo, TraceInfo } from '../../../app/contract/engine.ts';
import { createEngine } from '../../../main/engine/index.ts';
import { type MadeSample, madeRecording } from '../../fixtures/made-recording.ts';
import { temporaryFolder, zipOf } from './archives.ts';

const engine = createEngine();
const folder = temporaryFolder();
const sample = (name: string) =>
  readFileSync(new URL(`../../../app/samples/${name}.pickle.gz`, import.meta.url));
const path = (name: string, content: string | Uint8Array): FileSource => ({
  kind: 'path',
  path: folder.write(name, content),
});
const openSet = (files: readonly FileSource[]) => engine.call('open', { source: { kind: 'set', files } });
const MILLISECOND = 1e6;
const GIB = 1024 ** 3;

describe('two ranks of one run', () => {
  let set: TraceInfo;
  let alone: TraceInfo;
  beforeAll(async () => {
    const steps = gunzipSync(sample('training-step'));
    set = await openSet([
      path('snap_rank0.pickle.gz', sample('expandable-segments')),
      path('snap_rank1.zip', zipOf({ 'snap.pickle': steps })),
    ]);
    alone = await engine.call('open', { source: { kind: 'sample', name: 'training-step' } });
  });
  afterAll(async () => {
    await engine.call('close', { trace: set.trace });
    await engine.call('close', { trace: alone.trace });
  });

  it('are one trace with the devices of both, each with its rank', () => {
    expect(set).toMatchObject({
      name: 'snap_rank0.pickle.gz + snap_rank1.zip',
      format: 'pytorch-snapshot',
      isComplete: true,
      parts: [
        { name: 'snap_rank0.pickle.gz', rank: 0, clock: 'wall' },
        { name: 'snap_rank1.zip', rank: 1, clock: 'wall' },
      ],
      refused: [],
      devices: [
        { ordinal: 0, part: 0, hasClock: true },
        { ordinal: 0, part: 1, hasClock: true, events: alone.devices[0]?.events },
      ],
    });
  });

  it('lie on one axis by the clock, and are what each file alone is', async () => {
    const shift = set.parts[1]?.start ?? Number.NaN;
    expect(shift).toBe(((alone.originMs ?? 0) - (set.originMs ?? 0)) * MILLISECOND + 287_000);
    const columns = 100;
    const window = { axis: 'time', from: 0, to: alone.durationNs, columns } as const;
    const moved = { ...window, from: shift, to: shift + alone.durationNs };
    const there = await engine.call('series', { trace: alone.trace, device: 0, window });
    const here = await engine.call('series', { trace: set.trace, device: 1, window: moved });
    expect(here.total.reserved.max).toEqual(there.total.reserved.max);
    const report = await engine.call('report', { trace: set.trace });
    expect(report.devices.map(({ exact, rank }) => ({ verdict: exact.verdict, rank }))).toEqual([
      { verdict: 'exact', rank: 0 },
      { verdict: 'exact', rank: 1 },
    ]);
    expect(report.warnings.filter(({ damage }) => damage)).toEqual([]);
  });

  it('keep the settings of each file, which "what if" stands on', async () => {
    expect(set.parts.map(({ settings }) => settings['expandable_segments'])).toEqual(['true', 'false']);
    const common = { capacity: null, costModel: null, columns: 10, runs: null } as const;
    const peaks = async (trace: string, device: number) => {
      const { runs, recording } = await engine.call('sweep', { trace, device, ...common });
      const reproduced = runs.find((run) => run.reproduces !== null)?.reproduces;
      expect(reproduced?.matched).toBe(reproduced?.placements);
      return [recording.peakReserved, ...runs.map((run) => run.peakReserved)];
    };
    expect(await peaks(set.trace, 1)).toEqual(await peaks(alone.trace, 0));
  });
});

describe('a set with files that cannot be opened', () => {
  it('opens the others, and names those with their errors', async () => {
    const set = await openSet([
      path('r0.pickle.gz', sample('training-step')),
      path('r1.pickle', 'nothing that is known'),
      path('r2.pickle', ''),
    ]);
    expect(set.parts).toHaveLength(1);
    expect(set.refused).toMatchObject([
      { name: 'r1.pickle', error: { code: 'capture-unknown-format' } },
      { name: 'r2.pickle', error: { code: 'file-empty' } },
    ]);
    const report = await engine.call('report', { trace: set.trace });
    expect(report.complete).toBe(false);
    expect(report.warnings).toContainEqual(
      expect.objectContaining({ code: 'file-empty', file: 'r2.pickle', damage: true }),
    );
  });

  it('is refused when none can be', async () => {
    const files = [path('a.pickle', 'x'), { kind: 'path', path: '/no/such/file' }] as const;
    await expect(openSet(files)).rejects.toMatchObject({ code: 'set-nothing-opened' });
    await expect(openSet([path('a.pickle', '')])).rejects.toMatchObject({ code: 'file-empty' });
  });

  it('tells files of the same name apart by their folders', async () => {
    const content = sample('training-step');
    const set = await openSet([path('rank0/s.pickle.gz', content), path('rank1/s.pickle.gz', content)]);
    expect(set.parts.map(({ name, rank }) => ({ name, rank }))).toEqual([
      { name: 'rank0/s.pickle.gz', rank: 0 },
      { name: 'rank1/s.pickle.gz', rank: 1 },
    ]);
  });

  it('reports its progress over all files, and can be cancelled', async () => {
    const files = [0, 1].map((rank) => path(`p_rank${rank}.pickle.gz`, sample('training-step')));
    const steps: ProgressInfo[] = [];
    await engine.call('open', { source: { kind: 'set', files } }, { onProgress: (step) => steps.push(step) });
    const unpacked = steps.filter(({ stage }) => stage === 'unpack');
    expect(new Set(unpacked.map(({ total }) => total))).toEqual(
      new Set([2 * sample('training-step').length]),
    );
    const controller = new AbortController();
    const opening = engine.call('open', { source: { kind: 'set', files } }, { signal: controller.signal });
    controller.abort();
    await expect(opening).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('a recording of GPUs beside a snapshot of the same run', () => {
  const PERIOD = 10 * MILLISECOND;
  /** Two GPUs from 100 ms before the snapshot to 100 ms after it. */
  const samples = Array.from(
    { length: 54 },
    (_, at): MadeSample => ({
      time: at * PERIOD,
      used: [20 * GIB, at < 30 ? null : 5 * GIB],
    }),
  );

  it('says what the driver counts beyond what the allocator holds', async () => {
    const alone = await engine.call('open', { source: { kind: 'sample', name: 'training-step' } });
    const originNs = BigInt(alone.originMs ?? 0) * 1_000_000n - 100_000_000n;
    const recording = madeRecording({ originNs, period: PERIOD, totalBytes: 80 * GIB, samples });
    const set = await openSet([
      path('snapshot.pickle.gz', sample('training-step')),
      path('gpus.strata-gpus', recording),
    ]);
    const { counters } = await engine.call('counters', { trace: set.trace });
    const counter = counters.findIndex(({ group, name }) => group === 'GPU 0' && name === 'used');
    expect(counters[counter]).toMatchObject({ part: 1, unit: 'bytes' });
    const window = { axis: 'time', from: 0, to: 540 * MILLISECOND, columns: 54 } as const;
    const on = { trace: set.trace, device: 0 };
    const found = await engine.call('driver', { ...on, counter, window });
    const reserved = await engine.call('series', { ...on, window });
    const { span } = set.devices[0] as TraceInfo['devices'][number];
    for (let column = 0; column < 54; column++) {
      const time = column * PERIOD;
      const isKnown = span !== null && time >= span.first && time <= span.last;
      const value = found.difference.last[column] as number;
      expect(found.driver.last[column]).toBe(20 * GIB);
      if (!isKnown) expect(value).toBeNaN();
      else {
        const before = await engine.call('eventAt', { ...on, time });
        const { total } = await engine.call('moment', { ...on, event: before });
        expect(value).toBe(20 * GIB - total.reserved);
      }
    }
    expect(found).toMatchObject({ subtracted: 'reserved', negative: 0 });
    expect(reserved.total.reserved.max.length).toBe(54);
    const other = counters.findIndex(({ group, name }) => group === 'GPU 1' && name === 'used');
    const second = await engine.call('driver', { ...on, counter: other, window });
    expect(second.negative).toBeGreaterThan(0);
    expect(second.smallest).toBeLessThan(0);
    await expect(engine.call('driver', { ...on, counter: 1e6, window })).rejects.toMatchObject({
      code: 'bad-arguments',
    });
  });
});
