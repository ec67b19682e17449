import type { DeviceInfo, TraceInfo, TraceSource } from '../../app/contract/engine.ts';
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
}

/** The open traces of one engine, named t1, t2, … in order of opening; a name is never used twice. */
export class Traces {
  readonly #open = new Map<string, OpenTrace>();
  #count = 0;

  add(native: NativeTrace, origin: Omit<TraceOrigin, 'trace'>, warnings: OpenTrace['warnings']): OpenTrace {
    this.#count += 1;
    const trace = `t${this.#count}`;
    const facts = native.facts();
    const sites = new Map<number, readonly NativeSite[]>();
    const entry: OpenTrace = {
      info: describe(facts, native, { trace, ...origin }),
      native,
      facts,
      warnings,
      file: origin.path ?? origin.name,
      sites(device) {
        const known = sites.get(device) ?? native.sites(device);
        sites.set(device, known);
        return known;
      },
    };
    this.#open.set(trace, entry);
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
}

const NANOSECONDS_PER_MILLISECOND = 1_000_000n;

function describe(facts: NativeFacts, native: NativeTrace, origin: TraceOrigin): TraceInfo {
  return {
    ...origin,
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
    regions: REGIONS.filter((_, region) => device.uses[region] === true),
    peakReserved: Number(reserved?.bytes ?? 0n),
    peakReservedEvent: reserved?.event ?? -1,
    peakEvent: device.peak ?? reserved?.event ?? -1,
    isPeakOfActive: device.peak !== null,
  };
}

/** Position of "reserved" among the counters of NativeExtremes. */
const RESERVED = 2;
