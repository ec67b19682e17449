import type { DeviceInfo, TraceGrowth, TraceInfo, TraceSource } from '../../app/contract/engine.ts';
import { REGIONS } from '../../app/contract/engine.ts';
import type { ReportWarning } from '../../app/contract/report.ts';
import { engineError } from './errors.ts';
import type { NativeDevice, NativeFacts, NativeSite, NativeTrace } from './native.ts';

/** An open trace and what the engine remembers of it. */
export interface OpenTrace {
  readonly info: TraceInfo;
  readonly native: NativeTrace;
  readonly facts: NativeFacts;
  /** Found by the engine itself, around the file that the addon read. */
  readonly warnings: readonly ReportWarning[];
  /** As a report names the file. */
  readonly file: string;
  sites(device: number): readonly NativeSite[];
  /** Questions that are being answered; of a trace that has grown meanwhile, the last one closes what was before. */
  uses: number;
  isRetired: boolean;
}

/** The open traces of one engine, named t1, t2, … in order of opening; a name is never used twice. */
export class Traces {
  readonly #open = new Map<string, OpenTrace>();
  #count = 0;

  add(native: NativeTrace, origin: Origin, warnings: OpenTrace['warnings']): OpenTrace {
    this.#count += 1;
    return this.#put(native, { trace: `t${this.#count}`, ...origin }, warnings);
  }

  /** The same trace, grown: it keeps its name. Errors: "no-such-trace". */
  replace(trace: string, native: NativeTrace, origin: Origin): OpenTrace {
    const before = this.get(trace);
    const entry = this.#put(native, { trace, ...origin }, before.warnings);
    before.isRetired = true;
    if (before.uses === 0) before.native.close();
    return entry;
  }

  has(trace: string): boolean {
    return this.#open.has(trace);
  }

  /** Asks a trace, which stays whole until it has answered. Errors: "no-such-trace". */
  async use<R>(trace: string, answer: (entry: OpenTrace) => R | Promise<R>): Promise<R> {
    const entry = this.get(trace);
    entry.uses += 1;
    try {
      return await answer(entry);
    } finally {
      entry.uses -= 1;
      if (entry.isRetired && entry.uses === 0) entry.native.close();
    }
  }

  #put(native: NativeTrace, origin: TraceOrigin, warnings: OpenTrace['warnings']): OpenTrace {
    const facts = native.facts();
    const sites = new Map<number, readonly NativeSite[]>();
    const entry: OpenTrace = {
      info: describe(facts, native, origin),
      native,
      facts,
      warnings,
      file: origin.path ?? origin.name,
      sites(device) {
        const known = sites.get(device) ?? native.sites(device);
        sites.set(device, known);
        return known;
      },
      uses: 0,
      isRetired: false,
    };
    this.#open.set(origin.trace, entry);
    return entry;
  }

  /** Errors: "no-such-trace". */
  get(trace: string): OpenTrace {
    const entry = this.#open.get(trace);
    if (entry === undefined) {
      throw engineError('no-such-trace', 'This trace is not open any more.', 'Open its file again.');
    }
    return entry;
  }

  close(trace: string): void {
    this.get(trace).native.close();
    this.#open.delete(trace);
  }

  list(): readonly TraceInfo[] {
    return [...this.#open.values()].map((entry) => entry.info);
  }
}

interface TraceOrigin {
  readonly trace: string;
  readonly name: string;
  readonly path: string | null;
  readonly source: TraceSource;
  readonly fileBytes: number;
  readonly growth?: TraceGrowth;
}
type Origin = Omit<TraceOrigin, 'trace'>;

const NANOSECONDS_PER_MILLISECOND = 1_000_000n;

function describe(facts: NativeFacts, native: NativeTrace, origin: TraceOrigin): TraceInfo {
  return {
    ...origin,
    growth: origin.growth ?? null,
    format: facts.format,
    producer: facts.producer,
    hasClock: facts.hasClock,
    originMs: facts.hasClock && facts.hasOrigin ? Number(facts.originNs / NANOSECONDS_PER_MILLISECOND) : null,
    durationNs: Math.max(0, facts.countersEnd, ...facts.devices.map((device) => device.lastTime)),
    isComplete: facts.isComplete,
    counters: facts.counters,
    devices: facts.devices.map((device, position) => describeDevice(device, native, position)),
  };
}

function describeDevice(device: NativeDevice, native: NativeTrace, position: number): DeviceInfo {
  const reserved = native.extremes(position).at(-1)?.peak[RESERVED];
  return {
    ordinal: device.ordinal,
    kind: device.kind,
    layout: device.layout,
    allocator: device.allocator === '' ? null : device.allocator,
    hasHistory: device.hasHistory,
    isRegionBySize: device.isRegionBySize,
    areRequestsKnown: device.areRequestsKnown,
    events: device.events,
    blocks: device.blocks,
    segments: device.segments,
    olderBlocks: device.olderBlocks,
    olderSegments: device.olderSegments,
    regions: REGIONS.filter((_, region) => device.uses[region] === true),
    peakReserved: Number(reserved?.bytes ?? 0n),
    peakReservedEvent: reserved?.event ?? -1,
    peakEvent: device.peak ?? reserved?.event ?? -1,
    isPeakOfActive: device.peak !== null,
  };
}

/** Position of "reserved" among the counters of NativeExtremes. */
const RESERVED = 2;
