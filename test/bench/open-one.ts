import { readFileSync, statSync } from 'node:fs';
import type { Args, Engine, MethodName, TraceInfo, WindowArg } from '../../app/contract/engine.ts';
import { REGIONS } from '../../app/contract/engine.ts';
import { createEngine } from '../../main/engine/index.ts';
import { type Percentiles, percentiles } from './percentiles.ts';

/** What one capture cost, printed as one JSON line. */
export interface OpenResult {
  readonly file: string;
  readonly megabytes: number;
  readonly events: number;
  readonly openMs: number;
  readonly firstPictureMs: number;
  readonly megabytesPerSecond: number;
  /** Resident memory that is not the mapped file, per event, after opening and after all queries. */
  readonly bytesPerEvent: number;
  readonly bytesPerEventAfterQueries: number;
  readonly peakBytesPerEvent: number;
  readonly queries: Readonly<Record<string, Percentiles>>;
}

const COLUMNS = 1100;
const PIXEL_ROWS = 240;
const ROUNDS = 200;

function anonymousBytes(field: 'RssAnon' | 'VmHWM'): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1024;
}

/** A small generator with a seed, so that every run asks the same questions. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Windows at every zoom: each halving from the whole trace to a few hundred events is equally likely. */
function randomWindow(random: () => number, info: TraceInfo): WindowArg {
  const axis = info.hasClock && random() < 0.5 ? 'time' : 'event';
  const events = info.devices[0]?.events ?? 1;
  const length = axis === 'time' ? info.durationNs + 1 : events;
  const span = Math.max(length / 2 ** (random() * Math.log2(Math.max(2, events / 200))), 1);
  const from = random() * (length - span);
  return { axis, from, to: from + span, columns: COLUMNS };
}

async function firstPicture(engine: Engine, trace: string, window: WindowArg): Promise<void> {
  await Promise.all([
    engine.call('series', { trace, device: 0, window }),
    engine.call('liveBlocks', { trace, device: 0, window, pixelRows: PIXEL_ROWS }),
    engine.call('markers', { trace, device: 0 }),
    engine.call('sites', { trace, device: 0 }),
  ]);
}

async function measureQueries(engine: Engine, info: TraceInfo): Promise<Record<string, Percentiles>> {
  const { trace } = info;
  const device = 0;
  const random = generator(7);
  const events = info.devices[0]?.events ?? 1;
  const times = new Map<string, number[]>();
  const ask = async <M extends MethodName>(method: M, args: Args<M>) => {
    const start = performance.now();
    const result = await engine.call(method, args);
    const list = times.get(method) ?? [];
    list.push(performance.now() - start);
    times.set(method, list);
    return result;
  };
  const region =
    REGIONS.find((one) => info.devices[0]?.regions.includes(one) && one !== 'immediate') ?? 'immediate';
  const ranges = await engine.call('ranges', { trace, device, region });
  const last = ranges.at(-1);
  const folded = last === undefined ? 1 : last.offset + last.bytes;
  const whole: WindowArg = { axis: 'event', from: 0, to: events, columns: COLUMNS };
  // The first map of a region builds its grid; it is counted apart from the questions that follow.
  const start = performance.now();
  await engine.call('map', {
    trace,
    device,
    region,
    window: whole,
    fromOffset: 0,
    toOffset: folded,
    rows: 500,
  });
  times.set('first map', [performance.now() - start]);
  for (let round = 0; round < ROUNDS; round++) {
    const window = randomWindow(random, info);
    await ask('series', { trace, device, window });
    await ask('liveBlocks', { trace, device, window, pixelRows: PIXEL_ROWS });
    const fromOffset = random() < 0.5 ? 0 : random() * folded * 0.5;
    const toOffset = random() < 0.5 ? folded : fromOffset + (folded - fromOffset) * (0.1 + 0.9 * random());
    await ask('map', { trace, device, region, window, fromOffset, toOffset, rows: 500 });
    const event = Math.floor(random() * events);
    const state = await ask('state', { trace, device, event });
    const segment = Math.floor(random() * state.segmentAddress.length);
    const address =
      (state.segmentAddress[segment] ?? 0n) +
      BigInt(Math.floor(random() * (state.segmentBytes[segment] ?? 1)));
    await ask('hit', { trace, device, event, address: `0x${address.toString(16)}` });
    await ask('moment', { trace, device, event });
  }
  return Object.fromEntries([...times].map(([method, list]) => [method, percentiles(list)]));
}

async function main(file: string): Promise<void> {
  const engine = createEngine();
  const before = anonymousBytes('RssAnon');
  const start = performance.now();
  const info = await engine.call('open', { source: { kind: 'path', path: file } });
  const openMs = performance.now() - start;
  const events = info.devices.reduce((sum, device) => sum + device.events, 0);
  const axis = info.hasClock ? 'time' : 'event';
  const to = axis === 'time' ? info.durationNs + 1 : (info.devices[0]?.events ?? 1);
  await firstPicture(engine, info.trace, { axis, from: 0, to, columns: COLUMNS });
  const firstPictureMs = performance.now() - start;
  const afterOpen = anonymousBytes('RssAnon') - before;
  const queries = await measureQueries(engine, info);
  const bytes = statSync(file).size;
  const result: OpenResult = {
    file,
    megabytes: bytes / 1e6,
    events,
    openMs,
    firstPictureMs,
    megabytesPerSecond: bytes / 1e3 / openMs,
    bytesPerEvent: afterOpen / events,
    bytesPerEventAfterQueries: (anonymousBytes('RssAnon') - before) / events,
    peakBytesPerEvent: (anonymousBytes('VmHWM') - before - bytes) / events,
    queries,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

await main(process.argv[2] ?? '');
