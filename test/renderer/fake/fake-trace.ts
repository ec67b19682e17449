import type {
  DeviceInfo,
  EventInfo,
  FrameInfo,
  MarkersResult,
  MomentResult,
  RegionName,
  TraceInfo,
} from '../../../app/contract/engine.ts';
import { REGIONS } from '../../../app/contract/engine.ts';
import type { CounterName, Peaks, Report, ReportDevice, ReportExact } from '../../../app/contract/report.ts';
import type { RunRequest } from '../../../app/contract/simulation.ts';
import { momentOf } from './numbers.ts';
import { FAKE_SITES, type Simulation, type SimulationOptions, simulate } from './simulate.ts';

/** One made-up trace: what the engine would say about it. */
export interface FakeTraceOptions extends Partial<SimulationOptions> {
  readonly name: string;
  readonly devices?: number;
  readonly hasClock?: boolean;
  readonly isComplete?: boolean;
  readonly exact?: ReportExact['verdict'];
  readonly kind?: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** This trace is what a run made of another one. */
  readonly simulated?: { readonly of: string; readonly run: RunRequest };
}

const COUNTERS: readonly CounterName[] = ['allocated', 'active', 'reserved', 'requested'];

export class FakeDevice {
  readonly simulation: Simulation;
  readonly hasClock: boolean;
  private readonly moments = new Map<number, MomentResult>();

  constructor(options: SimulationOptions, hasClock: boolean) {
    this.hasClock = hasClock;
    this.simulation = simulate(options);
  }

  moment(event: number): MomentResult {
    let moment = this.moments.get(event);
    if (moment === undefined) {
      moment = momentOf(this.simulation, event, this.hasClock);
      this.moments.set(event, moment);
    }
    return moment;
  }

  timeOf(event: number): number | null {
    if (!this.hasClock) return null;
    return event < 0 ? 0 : (this.simulation.events[event]?.time ?? 0);
  }

  get last(): number {
    return this.simulation.events.length - 1;
  }

  peaks(region: RegionName | 'total'): Peaks {
    const peak = (counter: CounterName) => {
      let best = { bytes: -1, event: -1, time_ns: null as number | null };
      for (let event = -1; event <= this.last; event++) {
        const moment = this.moment(event);
        const numbers = region === 'total' ? moment.total : moment.regions[region];
        if (numbers[counter] > best.bytes) {
          best = { bytes: numbers[counter], event, time_ns: this.timeOf(event) };
        }
      }
      return best;
    };
    return Object.fromEntries(COUNTERS.map((counter) => [counter, peak(counter)])) as Record<
      CounterName,
      ReturnType<typeof peak>
    >;
  }

  finals(region: RegionName | 'total') {
    const moment = this.moment(this.last);
    const numbers = region === 'total' ? moment.total : moment.regions[region];
    return {
      allocated: numbers.allocated,
      active: numbers.active,
      reserved: numbers.reserved,
      requested: numbers.requested,
    };
  }

  markers(): MarkersResult {
    const { failures, steps } = this.simulation;
    const peak = this.peaks('total').reserved;
    return {
      markers: [
        { kind: 'peak' as const, event: peak.event, time: peak.time_ns, bytes: peak.bytes, count: 1 },
        ...failures.map((failure) => ({
          kind: 'failure' as const,
          event: failure.event,
          time: this.timeOf(failure.event),
          bytes: failure.bytes,
          count: 1,
        })),
      ],
      annotations: steps.map((step) => ({
        name: step.name,
        begin: this.timeOf(step.beginEvent) ?? 0,
        end: this.timeOf(step.endEvent) ?? 0,
        beginEvent: step.beginEvent,
        endEvent: step.endEvent,
        depth: 0,
        hasBegin: true,
        hasEnd: true,
      })),
    };
  }
}

export function stackOf(site: number): FrameInfo[] {
  const known = FAKE_SITES[site];
  if (known === undefined || known.file === '') return [];
  return [
    { name: 'c10::cuda::CUDACachingAllocator::allocate', file: '??', line: 0, isFolded: true },
    { name: 'at::empty_cuda', file: '??', line: 0, isFolded: true },
    { name: known.function, file: known.file, line: known.line, isFolded: false },
    { name: '_call_impl', file: 'torch/nn/modules/module.py', line: 1747, isFolded: true },
    { name: 'train', file: 'train.py', line: 88, isFolded: false },
  ];
}

export class FakeTrace {
  readonly id: string;
  readonly options: FakeTraceOptions;
  readonly devices: readonly FakeDevice[];
  readonly hasClock: boolean;

  constructor(id: string, options: FakeTraceOptions) {
    this.id = id;
    this.options = options;
    this.hasClock = options.hasClock ?? true;
    this.devices = Array.from(
      { length: options.devices ?? 1 },
      (_, at) =>
        new FakeDevice(
          {
            seed: (options.seed ?? 1) + at,
            steps: (options.steps ?? 2) + at,
            failure: options.failure ?? 'none',
            isExpandable: options.isExpandable ?? false,
            isStateOnly: options.isStateOnly ?? false,
          },
          this.hasClock,
        ),
    );
  }

  info(): TraceInfo {
    const path = `/captures/${this.options.name}.pickle`;
    return {
      trace: this.id,
      name: this.options.name,
      path: this.options.simulated === undefined ? path : null,
      source:
        this.options.simulated === undefined
          ? { kind: 'path', path }
          : { kind: 'simulation', device: 0, ...this.options.simulated },
      format: 'pytorch-snapshot',
      producer: 'PyTorch 2.6',
      fileBytes: 3_251_313,
      hasClock: this.hasClock,
      originMs: null,
      durationNs: Math.max(...this.devices.map((device) => device.timeOf(device.last) ?? 0)),
      isComplete: this.options.isComplete ?? true,
      counters: 0,
      growth: null,
      devices: this.devices.map((device, ordinal) => this.deviceInfo(device, ordinal)),
      parts: [],
      refused: [],
    };
  }

  private deviceInfo(device: FakeDevice, ordinal: number): DeviceInfo {
    const peak = device.peaks('total').reserved;
    const first = device.timeOf(0);
    const last = device.timeOf(device.last);
    return {
      ordinal,
      part: null,
      hasClock: this.hasClock,
      span: first === null || last === null ? null : { first, last },
      isComplete: this.options.isComplete ?? true,
      kind: this.options.kind ?? 'cuda',
      layout: 'segments',
      allocator: null,
      hasHistory: device.simulation.events.length > 0,
      isRegionBySize: false,
      regionsBy: 'segments',
      areRequestsKnown: true,
      events: device.simulation.events.length,
      blocks: device.simulation.blocks.length,
      segments: device.simulation.segments.length,
      olderBlocks: device.simulation.blocks.filter((block) => block.birth < 0).length,
      olderSegments: device.simulation.segments.filter((segment) => segment.birth < 0).length,
      regions: REGIONS.filter((region) =>
        device.simulation.segments.some((segment) => segment.region === region),
      ),
      peakReserved: peak.bytes,
      peakReservedEvent: peak.event,
      peakEvent: peak.event,
      isPeakOfActive: false,
    };
  }

  report(): Report {
    const isComplete = this.options.isComplete ?? true;
    return {
      schema: 'strata.report/1',
      file: `/captures/${this.options.name}.pickle`,
      format: 'pytorch-snapshot',
      producer: 'PyTorch 2.6',
      complete: isComplete,
      file_bytes: 3_251_313,
      has_clock: this.hasClock,
      origin: null,
      duration_ns: this.info().durationNs,
      settings: this.options.settings ?? {},
      devices: this.devices.map((device, ordinal) => this.reportDevice(device, ordinal, isComplete)),
      counters: [],
      files: [],
      warnings: isComplete
        ? []
        : [
            {
              code: 'capture-truncated',
              message: 'The file ends inside the stack of event 12,280 (byte 2,411,008).',
              position: { byte: 2_411_008 },
            },
          ],
    };
  }

  private reportDevice(device: FakeDevice, ordinal: number, isComplete: boolean): ReportDevice {
    const peak = device.peaks('total');
    const atPeak = device.moment(peak.reserved.event);
    const allocations = device.simulation.events.filter((event) => event.action === 'alloc').length;
    const finalBlocks = device.moment(device.last).total.blocks;
    const verdict = this.options.exact ?? (allocations === 0 ? 'not-applicable' : 'exact');
    const fragmentation = (region: RegionName) => {
      const numbers = atPeak.regions[region];
      return {
        formula: '1 - largest_free / free' as const,
        value: numbers.fragmentation,
        free: numbers.free,
        largest_free: numbers.largestFree,
        cached_whole: numbers.cachedWhole,
        stranded: numbers.stranded,
      };
    };
    const region = (name: RegionName) => ({ peak: device.peaks(name), final: device.finals(name) });
    return {
      ordinal,
      file: null,
      rank: null,
      kind: this.options.kind ?? 'cuda',
      allocator: null,
      layout: 'segments',
      events: device.simulation.events.length,
      allocations,
      segments: device.moment(device.last).total.segments,
      has_history: device.simulation.events.length > 0,
      requests_known: true,
      peak,
      final: device.finals('total'),
      regions: { immediate: region('immediate'), pooled: region('pooled'), virtual: region('virtual') },
      fragmentation_at_peak: {
        immediate: fragmentation('immediate'),
        pooled: fragmentation('pooled'),
        virtual: fragmentation('virtual'),
      },
      exact: {
        verdict,
        placements: allocations,
        placements_matched: verdict === 'mismatch' ? 118 : allocations,
        segment_events: device.simulation.events.length - allocations,
        segment_events_matched: device.simulation.events.length - allocations,
        final_blocks: finalBlocks,
        final_blocks_matched: finalBlocks,
        first_mismatch: verdict === 'mismatch' ? 131 : null,
        code:
          verdict === 'mismatch' ? 'placement-differs' : verdict === 'estimated' ? 'other-allocator' : null,
        because:
          verdict === 'mismatch'
            ? 'The recorded address of event 131 is not the one best fit takes.'
            : verdict === 'estimated'
              ? 'Ascend rounds and aligns otherwise than CUDA; block sizes are as recorded.'
              : null,
        hidden: null,
      },
      failures: device.simulation.failures.map((failure) => {
        const then = device.moment(failure.event);
        return {
          event: failure.event,
          time_ns: device.timeOf(failure.event),
          requested: null,
          rounded: failure.bytes,
          device_free: failure.deviceFree,
          stream: '0',
          free: then.total.free,
          largest_free: then.total.largestFree,
          reserved: then.total.reserved,
          active: then.total.active,
          stack: ['forward (swiglu.py:31)', 'train (train.py:88)'],
        };
      }),
      top_at_peak: device.moment(peak.allocated.event).sites.map((site) => ({
        bytes: site.bytes,
        count: site.blocks,
        site: site.name,
        stack: stackOf(site.site).map((frame) => `${frame.name} (${frame.file}:${frame.line})`),
      })),
      possible_extra: isComplete ? null : device.finals('total'),
      stored_end: isComplete ? null : device.finals('total'),
    };
  }

  event(deviceAt: number, event: number): EventInfo {
    const device = this.devices[deviceAt];
    const known = device?.simulation.events[event];
    if (device === undefined || known === undefined) throw new Error(`no event ${event}`);
    const site = known.block === null ? 6 : (device.simulation.blocks[known.block]?.site ?? 8);
    return {
      event,
      time: device.timeOf(event),
      action: known.action,
      address: `0x${known.address.toString(16)}`,
      size: known.size,
      stream: '0',
      pool: [0, 0],
      label: null,
      stack: stackOf(site),
      block: known.block,
      segment: known.segment,
    };
  }
}
