import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Args, MethodName, ProgressInfo, TraceInfo } from '../../../app/contract/engine.ts';
import { REGIONS } from '../../../app/contract/engine.ts';
import { createEngine } from '../../../main/engine/index.ts';
import { temporaryFolder, zipOf } from './archives.ts';

const engine = createEngine();
const folder = temporaryFolder();
const sample = (name: string) => ({ source: { kind: 'sample', name } }) as const;
const snapshot = () =>
  gunzipSync(readFileSync(new URL('../../../app/samples/training-step.pickle.gz', import.meta.url)));

let info: TraceInfo;
let on: { readonly trace: string; readonly device: number };
beforeAll(async () => {
  info = await engine.call('open', sample('training-step'));
  on = { trace: info.trace, device: 0 };
});
afterAll(() => engine.call('close', { trace: info.trace }));

const lastEvent = () => (info.devices[0]?.events ?? 0) - 1;
const wholeWindow = (columns: number) => ({ axis: 'event', from: 0, to: lastEvent() + 1, columns }) as const;

describe('the engine', () => {
  it('describes an open trace', () => {
    expect(info).toMatchObject({
      name: 'training-step',
      path: null,
      format: 'pytorch-snapshot',
      hasClock: true,
      isComplete: true,
      devices: [{ ordinal: 0, kind: 'cuda', events: 10860, regions: ['immediate', 'pooled'] }],
    });
    expect(info.durationNs).toBeGreaterThan(0);
  });

  it('lists what is open and forgets what is closed', async () => {
    const { trace } = await engine.call('open', sample('out-of-memory'));
    expect((await engine.call('list', {})).map((one) => one.trace)).toContain(trace);
    await engine.call('close', { trace });
    expect((await engine.call('list', {})).map((one) => one.trace)).not.toContain(trace);
    await expect(engine.call('report', { trace })).rejects.toMatchObject({ code: 'no-such-trace' });
  });

  it('answers a query although the trace is closed before it is done', async () => {
    const { trace } = await engine.call('open', sample('out-of-memory'));
    const query = engine.call('moment', { trace, device: 0, event: 5000 });
    await engine.call('close', { trace });
    expect((await query).total.reserved).toBeGreaterThan(0);
  });

  it('shows the same peak at every zoom', async () => {
    const peak = info.devices[0]?.peakReserved;
    for (const columns of [1, 7, 1100]) {
      const { total } = await engine.call('series', { ...on, window: wholeWindow(columns) });
      expect(total.reserved.max).toHaveLength(columns);
      expect(Math.max(...total.reserved.max)).toBe(peak);
    }
  });

  it('stacks live blocks up to the active bytes of each column', async () => {
    const live = await engine.call('liveBlocks', { ...on, window: wholeWindow(10), pixelRows: 200 });
    for (const [column, event] of live.moment.entries()) {
      const runs = live.bytes.subarray(live.firstRun[column], live.firstRun[column + 1]);
      const { total } = await engine.call('moment', { ...on, event });
      expect(runs.reduce((sum, bytes) => sum + bytes, 0)).toBeCloseTo(total.active, 0);
    }
  });

  it('has a state whose blocks lie in their segments and add up to the moment', async () => {
    const event = 5000;
    const state = await engine.call('state', { ...on, event });
    const { total } = await engine.call('moment', { ...on, event });
    const sum = (values: Float64Array) => values.reduce((all, one) => all + one, 0);
    expect(sum(state.segmentBytes)).toBe(total.reserved);
    expect(sum(state.blockBytes)).toBe(total.active);
    expect(state.segmentFirstBlock.at(-1)).toBe(state.blockRow.length);
    expect(Math.max(...state.blockSite)).toBeLessThan((await engine.call('sites', on)).length);
  });

  it('finds the block at its address, and what is known of it', async () => {
    const event = 5000;
    const state = await engine.call('state', { ...on, event });
    const address = `0x${((state.segmentAddress[3] ?? 0n) + BigInt(state.blockOffset[3] ?? 0)).toString(16)}`;
    const hit = await engine.call('hit', { ...on, event, address });
    if (hit.kind !== 'block') return expect.fail(`a ${hit.kind} at ${address}`);
    const block = await engine.call('block', { ...on, block: hit.block });
    expect(block).toMatchObject({
      address: hit.address,
      bytes: hit.bytes,
      segment: hit.segment,
      isExact: true,
    });
    const segment = await engine.call('segment', { ...on, segment: hit.segment });
    expect(BigInt(segment.address) <= BigInt(block.address)).toBe(true);
  });

  it('tells a hole and unmapped space from blocks', async () => {
    expect(await engine.call('hit', { ...on, event: 0, address: '0x10' })).toMatchObject({
      kind: 'unmapped',
    });
  });

  it('shows an event with its stack, innermost frame first', async () => {
    const event = await engine.call('event', { ...on, event: 0 });
    expect(event.action).toMatch(/alloc/);
    expect(event.stack.at(-1)).toMatchObject({ name: '<module>', isFolded: false });
    expect(event.stack[0]).toMatchObject({ isFolded: true });
  });

  it('finds the event at a time, and the moment before the first', async () => {
    expect(await engine.call('eventAt', { ...on, time: info.durationNs })).toBe(lastEvent());
    expect(await engine.call('eventAt', { ...on, time: -1 })).toBe(-1);
    expect(await engine.call('moment', { ...on, event: -1 })).toMatchObject({ event: -1, time: 0 });
  });

  it('maps each region that was used, row by row', async () => {
    for (const region of REGIONS) {
      const ranges = await engine.call('ranges', { ...on, region });
      const last = ranges.at(-1);
      if (last === undefined) continue;
      const toOffset = last.offset + last.bytes;
      const window = wholeWindow(20);
      const map = await engine.call('map', { ...on, region, window, fromOffset: 0, toOffset, rows: 30 });
      expect(map.occupied).toHaveLength(600);
      expect(map.mapped.some((share) => share > 0)).toBe(true);
    }
  });

  it('has the peak among the markers and annotations with their events', async () => {
    const { markers, annotations } = await engine.call('markers', on);
    expect(markers.filter((marker) => marker.kind === 'peak')).toHaveLength(1);
    const step = annotations.find((annotation) => annotation.name === 'ProfilerStep#0');
    expect(step).toMatchObject({ depth: 0, hasBegin: true, hasEnd: true });
    expect(annotations.find((one) => one.name.includes('AdamW.step'))?.depth).toBe(1);
    expect(step?.endEvent).toBeGreaterThan(step?.beginEvent ?? 0);
  });

  it('marks a failure and the flush before it', async () => {
    const { trace } = await engine.call('open', sample('out-of-memory'));
    const { markers } = await engine.call('markers', { trace, device: 0 });
    expect(markers.map((marker) => marker.kind)).toEqual(['peak', 'flush', 'failure']);
    expect(markers[1]?.count).toBeGreaterThan(1);
    await engine.call('close', { trace });
  });

  it('names the settings and the samples', async () => {
    expect(await engine.call('settings', { trace: info.trace })).toHaveProperty('expandable_segments');
    const names = (await engine.call('samples', {})).map((one) => one.name);
    expect(names).toEqual(['expandable-segments', 'out-of-memory', 'training-step']);
  });
});

describe('opening', () => {
  it('reports progress through all stages', async () => {
    const steps: ProgressInfo[] = [];
    const onProgress = (step: ProgressInfo) => steps.push(step);
    const { trace } = await engine.call('open', sample('expandable-segments'), { onProgress });
    expect(steps.map((step) => step.stage)).toContain('unpack');
    expect(steps.length).toBeGreaterThan(1);
    await engine.call('close', { trace });
  });

  it('can be cancelled before it begins and while it unpacks', async () => {
    const aborted = { signal: AbortSignal.abort() };
    await expect(engine.call('open', sample('training-step'), aborted)).rejects.toMatchObject({
      code: 'cancelled',
    });
    const controller = new AbortController();
    const options = { signal: controller.signal, onProgress: () => controller.abort() };
    await expect(engine.call('open', sample('training-step'), options)).rejects.toMatchObject({
      code: 'cancelled',
    });
  });

  it('opens a plain, a packed and a cut-off file', async () => {
    const open = async (path: string) => {
      const opened = await engine.call('open', { source: { kind: 'path', path } });
      const report = await engine.call('report', { trace: opened.trace });
      await engine.call('close', { trace: opened.trace });
      return { opened, report };
    };
    const bytes = snapshot();
    const plain = await open(folder.write('plain.pickle', bytes));
    expect(plain.opened).toMatchObject({ name: 'plain.pickle', isComplete: true, fileBytes: bytes.length });
    const zipped = await open(folder.write('zipped.zip', zipOf({ 'snapshot.pickle': bytes })));
    expect(zipped.report.devices).toEqual(plain.report.devices);
    const cut = await open(folder.write('cut.pickle', bytes.subarray(0, bytes.length - 100_000)));
    expect(cut.report.complete).toBe(false);
    expect(cut.report.warnings.some((warning) => warning.damage === true)).toBe(true);
  });

  it.each([
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n and so on', 'latin1')],
    ['text', Buffer.from('hello')],
    ['a pickle that would run code', Buffer.from('cos\nsystem\n(S"true"\ntR.')],
  ])('refuses %s with a code and a remedy', async (name, bytes) => {
    const path = folder.write(name.replaceAll(' ', '-'), bytes);
    const opening = engine.call('open', { source: { kind: 'path', path } });
    await expect(opening).rejects.toMatchObject({
      code: expect.stringMatching(/^[a-z-]+$/) as string,
      remedy: expect.stringMatching(/\.$/) as string,
    });
  });

  it('says that a model checkpoint is not a snapshot', async () => {
    const files = {
      'archive/data.pkl': Buffer.from('\x80\x02ccollections\nOrderedDict\n)R.', 'latin1'),
      'archive/version': '3',
    };
    const path = folder.write('model.pt', zipOf(files));
    const opening = engine.call('open', { source: { kind: 'path', path } });
    await expect(opening).rejects.toMatchObject({ code: 'torch-checkpoint' });
  });

  it('knows neither uploads nor samples that are not there', async () => {
    const upload = engine.call('open', { source: { kind: 'upload', id: 'abcdefgh' } });
    await expect(upload).rejects.toMatchObject({ code: 'no-such-upload' });
    await expect(engine.call('open', sample('nothing'))).rejects.toMatchObject({ code: 'no-such-sample' });
  });
});

describe('arguments', () => {
  const bad = <M extends MethodName>(method: M, args: unknown) => engine.call(method, args as Args<M>);

  it.each([
    ['a trace that cannot be', 'report', { trace: 'x' }, 'trace'],
    ['no arguments', 'report', undefined, 'arguments'],
    [
      'a window without columns',
      'series',
      { trace: 't1', device: 0, window: { axis: 'event', from: 0, to: 1, columns: 0 } },
      'window.columns',
    ],
    [
      'a window that never ends',
      'series',
      { trace: 't1', device: 0, window: { axis: 'event', from: 0, to: Infinity, columns: 1 } },
      'window.to',
    ],
    ['an address that is a number', 'hit', { trace: 't1', device: 0, event: 0, address: 16 }, 'address'],
    ['a source of no kind', 'open', { source: { kind: 'url', url: 'x' } }, 'source.kind'],
  ] as const)('with %s are refused by name', async (_, method, args, name) => {
    await expect(bad(method, args)).rejects.toMatchObject({
      code: 'bad-arguments',
      message: expect.stringContaining(`"${name}"`) as string,
    });
  });

  it('that name rows which are not there are refused', async () => {
    const { trace } = info;
    const beyond = 2 ** 31 - 1;
    const window = { axis: 'event', from: 5, to: 5, columns: 1 } as const;
    for (const call of [
      bad('moment', { trace, device: 9, event: 0 }),
      bad('moment', { trace, device: 0, event: lastEvent() + 1 }),
      bad('state', { trace, device: 0, event: beyond }),
      bad('block', { trace, device: 0, block: beyond }),
      bad('segment', { trace, device: 0, segment: beyond }),
      bad('event', { trace, device: 0, event: beyond }),
      bad('series', { trace, device: 0, window }),
    ]) {
      await expect(call).rejects.toMatchObject({ code: 'bad-arguments' });
    }
  });

  it('cannot name a method that only an object has', async () => {
    await expect(bad('constructor' as MethodName, {})).rejects.toMatchObject({ code: 'no-such-method' });
  });
});

describe('sizes above 2^53', () => {
  it('are exact digits in a report and numbers in a picture', async () => {
    // A snapshot without history, as JSON: one segment of 2^60 bytes with one block that fills it.
    const huge = (2n ** 60n).toString();
    const json = `{"segments": [{"device": 0, "address": 4096, "total_size": ${huge}, "allocated_size": ${huge},
      "active_size": ${huge}, "requested_size": ${huge}, "stream": 0, "segment_type": "large",
      "segment_pool_id": [0, 0], "is_expandable": false, "frames": [], "blocks": [{"address": 4096,
      "size": ${huge}, "requested_size": ${huge}, "state": "active_allocated", "frames": []}]}],
      "device_traces": [[]]}`;
    const path = folder.write('huge.json', json);
    const { trace } = await engine.call('open', { source: { kind: 'path', path } });
    const report = await engine.call('report', { trace });
    expect(report.devices[0]?.final.reserved).toBe(huge);
    const moment = await engine.call('moment', { trace, device: 0, event: -1 });
    expect(moment.total.reserved).toBe(2 ** 60);
    await engine.call('close', { trace });
  });
});
