import type {
  DeviceInfo,
  PartInfo,
  RefusedPart,
  TraceGrowth,
  TraceInfo,
  TraceSource,
} from '../../app/contract/engine.ts';
import { REGIONS } from '../../app/contract/engine.ts';
import type { ReportWarning } from '../../app/contract/report.ts';
import { ranksOf } from '../../app/domain/ranks.ts';
import { engineError } from './errors.ts';
import type { NativeDevice, NativeFacts, NativePart, NativeSite, NativeTrace } from './native.ts';

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
  /** The files behind it may go. */
  release(): void;
  /** Questions that are being answered; of a trace that has grown meanwhile, the last one closes what was before. */
  uses: number;
  isRetired: boolean;
}

/** The open traces of one engine, named t1, t2, … in order of opening; a name is never used twice. */
export class Traces {
  readonly #open = new Map<string, OpenTrace>();
  #count = 0;

  add(
    native: NativeTrace,
    origin: NewTrace,
    warnings: OpenTrace['warnings'],
    release: () => void = () => {},
  ): OpenTrace {
    this.#count += 1;
    return this.#put(native, `t${this.#count}`, origin, warnings, release);
  }

  /** The same trace, grown: it keeps its name. Errors: "no-such-trace". */
  replace(trace: string, native: NativeTrace, origin: NewTrace): OpenTrace {
    const before = this.get(trace);
    const entry = this.#put(native, trace, origin, before.warnings, before.release);
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

  #put(
    native: NativeTrace,
    trace: string,
    origin: NewTrace,
    warnings: OpenTrace['warnings'],
    release: () => void,
  ): OpenTrace {
    const facts = native.facts();
    const sites = new Map<number, readonly NativeSite[]>();
    const info = describe(facts, native, trace, origin);
    const entry: OpenTrace = {
      info,
      native,
      facts,
      warnings,
      file: fileOf(info),
      sites(device) {
        const known = sites.get(device) ?? native.sites(device);
        sites.set(device, known);
        return known;
      },
      release,
      uses: 0,
      isRetired: false,
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
    const entry = this.get(trace);
    entry.native.close();
    entry.release();
    this.#open.delete(trace);
  }

  list(): readonly TraceInfo[] {
    return [...this.#open.values()].map((entry) => entry.info);
  }
}

/** Where a trace came from. */
export interface NewTrace {
  readonly name: string;
  readonly path: string | null;
  readonly source: TraceSource;
  readonly fileBytes: number;
  readonly growth?: TraceGrowth;
  readonly set?: SetOrigin;
}

/** The files of a set: those that are its parts, in the order of the addon, and those that were refused. */
export interface SetOrigin {
  readonly files: readonly { readonly path: string | null; readonly fileBytes: number }[];
  readonly refused: readonly RefusedPart[];
}

const NANOSECONDS_PER_MILLISECOND = 1_000_000n;

function describe(facts: NativeFacts, native: NativeTrace, trace: string, origin: NewTrace): TraceInfo {
  const { set, ...named } = origin;
  const parts = set === undefined ? [] : describeParts(facts.parts, set);
  return {
    trace,
    ...named,
    growth: origin.growth ?? null,
    format: facts.format,
    producer: facts.producer,
    hasClock: facts.hasClock,
    originMs: facts.hasClock && facts.hasOrigin ? Number(facts.originNs / NANOSECONDS_PER_MILLISECOND) : null,
    durationNs: Math.max(0, facts.countersEnd, ...facts.devices.map((device) => device.lastTime)),
    isComplete: facts.isComplete,
    counters: facts.counters,
    devices: facts.devices.map((device, position) => describeDevice(device, native, position, facts, parts)),
    parts,
    refused: set?.refused ?? [],
  };
}

/** A rank that a file states comes before that of its name. */
function describeParts(parts: readonly NativePart[], { files }: SetOrigin): readonly PartInfo[] {
  const ranks = ranksOf(
    parts.map(({ name, settings }) => {
      const stated = settings.find(([key]) => key === 'rank')?.[1];
      return { name, stated: stated !== undefined && /^\d{1,6}$/.test(stated) ? Number(stated) : null };
    }),
  );
  return parts.map(({ name, format, producer, isComplete, clock, start, settings }, at) => ({
    name,
    path: files[at]?.path ?? null,
    rank: ranks[at] ?? null,
    format,
    producer,
    fileBytes: files[at]?.fileBytes ?? 0,
    isComplete,
    clock,
    start,
    settings: Object.fromEntries(settings),
  }));
}

/** As a report names what it is about. */
function fileOf(info: TraceInfo): string {
  if (info.parts.length === 0) return info.path ?? info.name;
  return info.parts.map((part) => part.path ?? part.name).join(', ');
}

function describeDevice(
  device: NativeDevice,
  native: NativeTrace,
  position: number,
  facts: NativeFacts,
  parts: readonly PartInfo[],
): DeviceInfo {
  const part = parts[device.part];
  const reserved = native.extremes(position).at(-1)?.peak[RESERVED];
  return {
    ordinal: device.ordinal,
    part: part === undefined ? null : device.part,
    hasClock: part === undefined ? facts.hasClock : part.clock !== 'none',
    span: device.firstTime === null ? null : { first: device.firstTime, last: device.lastTime },
    isComplete: part?.isComplete ?? facts.isComplete,
    kind: device.kind,
    layout: device.layout,
    allocator: device.allocator === '' ? null : device.allocator,
    hasHistory: device.hasHistory,
    isRegionBySize: device.isRegionBySize,
    regionsBy: regionsBy(device, part?.format ?? facts.format),
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

/** Formats of totals alone whose readers show all memory as pooled. */
const FORMATS_OF_ONE_REGION = ['jax-memory-profile', 'tensorboard-memory-profile', 'xla-memory-viewer'];

function regionsBy({ layout, isRegionBySize }: NativeDevice, format: string): DeviceInfo['regionsBy'] {
  if (layout === 'segments') return isRegionBySize ? 'size' : 'segments';
  if (layout === 'blocks' && format === 'nsight-export') return 'capture';
  return layout === 'totals' && FORMATS_OF_ONE_REGION.includes(format) ? 'nothing' : 'size';
}

/** Position of "reserved" among the counters of NativeExtremes. */
const RESERVED = 2;
