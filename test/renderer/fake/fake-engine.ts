import type {
  Args,
  BlockInfo,
  CallOptions,
  Engine,
  HitResult,
  HolderMoment,
  HoldersResult,
  MethodName,
  MomentRef,
  Results,
  SegmentInfo,
  Source,
} from '../../../app/contract/engine.ts';
import { EngineError } from '../../../app/contract/error.ts';
import { fakeAllocations } from './fake-allocations.ts';
import { FakeLive } from './fake-live.ts';
import { FAKE_DECISIONS, FAKE_SIMULATORS, fakeRun, fakeSweep } from './fake-simulation.ts';
import { type FakeDevice, FakeTrace, type FakeTraceOptions, stackOf } from './fake-trace.ts';
import { liveBlocksOf, mapOf, rangesOf, seriesOf, stateOf } from './pictures.ts';
import { FAKE_SITES, holesOf, isAlive } from './simulate.ts';

/** Made-up traces by the name that opens them, as a path or a sample; every state a page must show. */
export const FAKE_TRACES: Readonly<Record<string, FakeTraceOptions>> = {
  'training-step': {
    name: 'training-step',
    steps: 2,
    settings: { PYTORCH_CUDA_ALLOC_CONF: 'max_split_size_mb:512' },
  },
  expandable: { name: 'expandable', isExpandable: true, seed: 7, settings: { expandable_segments: 'True' } },
  fragmented: { name: 'fragmented', failure: 'fragmentation', seed: 3 },
  shortage: { name: 'shortage', failure: 'shortage', seed: 5 },
  'no-clock': { name: 'no-clock', hasClock: false, seed: 11 },
  'state-only': { name: 'state-only', isStateOnly: true, hasClock: false },
  damaged: { name: 'damaged', isComplete: false, seed: 13 },
  'two-devices': { name: 'two-devices', devices: 2, kind: 'npu', exact: 'estimated' },
  'out-of-memory': { name: 'out-of-memory', failure: 'fragmentation', seed: 3 },
  'expandable-segments': { name: 'expandable-segments', isExpandable: true, seed: 7 },
  mismatch: { name: 'mismatch', exact: 'mismatch', seed: 17 },
};

type Handlers = {
  [M in MethodName]: (args: Args<M>, options?: CallOptions) => Results[M] | Promise<Results[M]>;
};

export class FakeEngine implements Engine {
  private readonly traces = new Map<string, FakeTrace>();
  private count = 0;
  private readonly openPause: number;

  /** `openPause` delays each step of opening, so that a page can be seen while it waits. */
  constructor(openPause = 0) {
    this.openPause = openPause;
  }

  async call<M extends MethodName>(method: M, args: Args<M>, options?: CallOptions): Promise<Results[M]> {
    return await this.handlers[method](args, options);
  }

  private readonly handlers: Handlers = {
    open: ({ source }, options) => this.open(source, options),
    close: ({ trace }) => {
      this.traces.delete(trace);
      return null;
    },
    list: () => [...this.traces.values()].map((trace) => trace.info()),
    report: ({ trace }) => this.trace(trace).report(),
    series: (args) => seriesOf(this.device(args), args.window),
    liveBlocks: (args) => liveBlocksOf(this.device(args), args.window),
    ranges: (args) => rangesOf(this.device(args), args.region),
    map: (args) =>
      mapOf(this.device(args), args.region, args.window, args.fromOffset, args.toOffset, args.rows),
    state: (args) => stateOf(this.device(args), args.event),
    hit: (args) => hit(this.device(args), args.event, Number(args.address)),
    moment: (args) => this.device(args).moment(args.event),
    block: (args) => blockInfo(this.device(args), args.block),
    segment: (args) => segmentInfo(this.device(args), args.segment),
    event: (args) => this.trace(args.trace).event(args.device, args.event),
    eventAt: (args) => {
      const device = this.device(args);
      let event = -1;
      while (event < device.last && (device.timeOf(event + 1) ?? 0) <= args.time) event++;
      return event;
    },
    markers: (args) => this.device(args).markers(),
    sites: (args) => {
      const device = this.device(args);
      const atPeak = device.moment(device.peaks('total').active.event).sites;
      return FAKE_SITES.map((site, rank) => ({
        name: site.name,
        function: site.function,
        kind: rank === 0 ? 'before' : rank === FAKE_SITES.length - 1 ? 'other' : 'site',
        bytesAtPeak: atPeak.find((share) => share.site === rank)?.bytes ?? 0,
      }));
    },
    holders: (args) => holdersOf(this.device(args), args.at),
    profileRuns: ({ path }) => ({ folder: path, runs: [], isWhole: true }),
    settings: ({ trace }) => this.trace(trace).options.settings ?? {},
    simulators: () => FAKE_SIMULATORS,
    simulate: async (args, options) => {
      await this.simulating(1, options);
      const summary = fakeRun(this.device(args), args.run, args.capacity, args.columns);
      if (!args.keep) return { summary, trace: null };
      const kept = new FakeTrace(`t${++this.count}`, {
        ...this.trace(args.trace).options,
        simulated: { of: args.trace, run: args.run },
      });
      this.traces.set(kept.id, kept);
      return { summary, trace: kept.info() };
    },
    sweep: async (args, options) => {
      await this.simulating(args.runs?.length ?? 7, options);
      return fakeSweep(this.device(args), args.runs, args.capacity, args.columns);
    },
    ...fakeAllocations,
    decisions: () => FAKE_DECISIONS,
    ...new FakeLive().handlers,
    samples: () => [{ name: 'expandable-segments' }, { name: 'out-of-memory' }, { name: 'training-step' }],
  };

  /** Progress as a simulation reports it; as slow as opening is. */
  private async simulating(runs: number, options?: CallOptions): Promise<void> {
    for (let done = 0; done <= runs && this.openPause > 0; done++) {
      options?.onProgress?.({ stage: 'simulate', done, total: runs, events: 0 });
      await new Promise((resolve) => setTimeout(resolve, this.openPause));
      if (options?.signal?.aborted) throw cancelled();
    }
  }

  private async open(source: Source, options?: CallOptions) {
    const name =
      source.kind === 'sample'
        ? source.name
        : source.kind === 'upload'
          ? 'training-step'
          : source.kind === 'set'
            ? 'two-ranks'
            : source.path.replace(/^.*\/|\.\w+$/g, '');
    const known = FAKE_TRACES[name];
    for (const stage of ['read', 'rebuild', 'index'] as const) {
      if (this.openPause === 0) break;
      for (let done = 0; done <= 4; done++) {
        options?.onProgress?.({ stage, done: done * 812_828, total: 3_251_313, events: done * 4942 });
        await new Promise((resolve) => setTimeout(resolve, this.openPause));
        if (options?.signal?.aborted) throw cancelled();
      }
    }
    if (known === undefined) throw refused(name);
    this.count++;
    const trace = new FakeTrace(`t${this.count}`, known);
    this.traces.set(trace.id, trace);
    return trace.info();
  }

  private trace(id: string): FakeTrace {
    const trace = this.traces.get(id);
    if (trace === undefined)
      throw new EngineError({
        code: 'unknown-trace',
        message: `There is no trace ${id}.`,
        remedy: '',
        position: null,
      });
    return trace;
  }

  private device(args: { readonly trace: string; readonly device: number }): FakeDevice {
    const device = this.trace(args.trace).devices[args.device];
    if (device === undefined) throw new Error(`no device ${args.device}`);
    return device;
  }
}

function holdersOf(device: FakeDevice, at: HolderMoment): HoldersResult {
  const event = at === 'peak' ? device.peaks('total').active.event : device.last;
  const { sites } = device.moment(event);
  return {
    event,
    time: device.timeOf(event),
    frames: FAKE_SITES.map((site) => `${site.function} (${site.name})`),
    holders: sites.map(({ site, bytes, blocks, name }) => ({
      bytes,
      blocks,
      site: name,
      kind: 'site',
      stack: [Math.min(site, FAKE_SITES.length - 1)],
    })),
  };
}

function cancelled(): EngineError {
  return new EngineError({
    code: 'cancelled',
    message: 'The work was cancelled.',
    remedy: '',
    position: null,
  });
}

function refused(name: string): EngineError {
  if (name === 'missing') {
    return new EngineError({
      code: 'file-not-found',
      message: 'There is no file /captures/missing.pickle.',
      remedy: 'Check the path, or open the file where it is now.',
      position: null,
    });
  }
  return new EngineError({
    code: 'pickle-forbidden-opcode',
    message: 'This pickle wants to call os.system, which a memory snapshot never does.',
    remedy: 'Open a file that torch.cuda.memory._dump_snapshot wrote. This one was not run.',
    position: { byte: 43 },
  });
}

function reference(device: FakeDevice, event: number): MomentRef | null {
  return event < 0 || !Number.isFinite(event) ? null : { event, time: device.timeOf(event) };
}

function blockInfo(device: FakeDevice, row: number): BlockInfo {
  const block = device.simulation.blocks[row];
  const segment = block && device.simulation.segments[block.segment];
  if (block === undefined || segment === undefined) throw new Error(`no block ${row}`);
  return {
    block: row,
    address: `0x${block.address.toString(16)}`,
    bytes: block.bytes,
    requested: block.requested,
    region: block.region,
    birth: reference(device, block.birth),
    freeRequested: reference(device, block.death),
    death: reference(device, block.death),
    stream: '0',
    pool: [0, 0],
    segment: block.segment,
    segmentAddress: `0x${segment.address.toString(16)}`,
    segmentBytes: segment.bytes,
    site: block.site,
    siteName: FAKE_SITES[block.site]?.name ?? 'other',
    label: null,
    stack: stackOf(block.site),
    isExact: true,
  };
}

function segmentInfo(device: FakeDevice, row: number): SegmentInfo {
  const segment = device.simulation.segments[row];
  if (segment === undefined) throw new Error(`no segment ${row}`);
  return {
    segment: row,
    address: `0x${segment.address.toString(16)}`,
    bytes: segment.bytes,
    region: segment.region,
    isLarge: segment.region !== 'immediate',
    isExpandable: segment.region === 'virtual',
    birth: reference(device, segment.birth),
    death: reference(device, segment.death),
    stream: '0',
    pool: [0, 0],
    stack: stackOf(1),
  };
}

function hit(device: FakeDevice, event: number, address: number): HitResult {
  const { blocks, segments } = device.simulation;
  const row = segments.findIndex(
    (segment) =>
      isAlive(segment, event) && address >= segment.address && address < segment.address + segment.bytes,
  );
  const segment = segments[row];
  const hex = (value: number) => `0x${value.toString(16)}` as const;
  if (segment === undefined) return { kind: 'unmapped', address: hex(address), bytes: 1 };
  const at = blocks.findIndex(
    (block) => isAlive(block, event) && address >= block.address && address < block.address + block.bytes,
  );
  const block = blocks[at];
  if (block !== undefined) {
    return { kind: 'block', block: at, segment: row, address: hex(block.address), bytes: block.bytes };
  }
  const hole = holesOf(blocks, segment, row, event).find(
    (one) => address >= one.address && address < one.address + one.bytes,
  );
  return { kind: 'hole', segment: row, address: hex(hole?.address ?? address), bytes: hole?.bytes ?? 0 };
}
