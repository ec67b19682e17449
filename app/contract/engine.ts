import * as v from 'valibot';
import type { ProfileRun } from '../domain/profile-runs.ts';
import type { Address, Bytes, EventIndex, Nanoseconds } from '../domain/units.ts';
import { type AllocationResults, allocationMethods } from './allocations.ts';
import type { EngineErrorData } from './error.ts';
import { type LiveResults, liveMethods } from './live.ts';
import type { Report } from './report.ts';
import { type RunRequest, type SimulationResults, simulationMethods } from './simulation.ts';

/**
 * The engine contract: every method once, with the schema of its arguments and the type of its result.
 * `main/engine` implements it; Electron IPC and the WebSocket carry it; the renderer only sees `Engine`.
 *
 * Conventions: a trace is named by `trace`, a device by its position `device` in `TraceInfo.devices`. Events count
 * from 0; the moment "after event e" is e, -1 is the moment before the first. "Never" (a block alive at the end)
 * is null. Bulk results are typed arrays with a length fixed by the arguments.
 */

const index = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 31 - 1));
const moment = v.pipe(v.number(), v.integer(), v.minValue(-1), v.maxValue(2 ** 31 - 1));
const columns = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(16384));
const finite = v.pipe(v.number(), v.finite());
const address = v.pipe(v.string(), v.regex(/^0x[0-9a-f]{1,16}$/i));
const filePath = v.pipe(v.string(), v.minLength(1), v.maxLength(4096));
const traceId = v.pipe(v.string(), v.regex(/^t[0-9]{1,9}$/));

export const REGIONS = ['immediate', 'pooled', 'virtual'] as const;
export type RegionName = (typeof REGIONS)[number];
export const METRICS = [
  'allocated',
  'active',
  'reserved',
  'requested',
  'largestFree',
  'fragmentation',
] as const;
export type MetricName = (typeof METRICS)[number];
export type AxisName = 'time' | 'event';

/** The peak of allocated bytes, where the report counts its consumers, or the end. */
export const HOLDER_MOMENTS = ['peak', 'end'] as const;
export type HolderMoment = (typeof HOLDER_MOMENTS)[number];

const region = v.picklist(REGIONS);
/** Half-open [from, to) on an axis (ns or event indices), cut into equal columns. */
const window = v.object({ axis: v.picklist(['time', 'event']), from: finite, to: finite, columns });
const onDevice = { trace: traceId, device: index };

export type WindowArg = v.InferOutput<typeof window>;

const oneFile = [
  v.object({ kind: v.literal('path'), path: filePath }),
  /** A file the page handed over to the server (POST /upload), which named it. */
  v.object({ kind: v.literal('upload'), id: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{8,64}$/)) }),
  v.object({ kind: v.literal('sample'), name: v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,64}$/)) }),
] as const;
const fileSource = v.variant('kind', oneFile);
export type FileSource = v.InferOutput<typeof fileSource>;

/** More files than any machine room has ranks in one run. */
export const MOST_FILES = 1024;

export const source = v.variant('kind', [
  ...oneFile,
  /** Several files as one trace: one a rank, or a recording of GPUs beside what an allocator recorded. */
  v.object({
    kind: v.literal('set'),
    files: v.pipe(v.array(fileSource), v.minLength(1), v.maxLength(MOST_FILES), v.readonly()),
  }),
]);
export type Source = v.InferOutput<typeof source>;

/** Where a trace came from: something that can be opened again, or a run over another trace's requests. */
export type TraceSource = Source | SimulationSource;
export interface SimulationSource {
  readonly kind: 'simulation';
  /** The trace that was simulated, which may be closed by now, its device, and the run. */
  readonly of: string;
  readonly device: number;
  readonly run: RunRequest;
}

/** Arguments of every method. */
export const methods = {
  /**
   * Opens a capture, or a set of them as one trace; reports progress and can be cancelled. Of a set, files that cannot
   * be read are named in `TraceInfo.refused`; it fails when none can.
   */
  open: v.object({ source }),
  close: v.object({ trace: traceId }),
  /** The traces that are open now, so that a page that reloads finds them again. */
  list: v.object({}),
  /** The facts of a trace, as `strata report --json` prints them. */
  report: v.object({ trace: traceId }),
  series: v.object({ ...onDevice, window }),
  liveBlocks: v.object({
    ...onDevice,
    window,
    pixelRows: v.pipe(v.number(), v.integer(), v.minValue(8), v.maxValue(8192)),
  }),
  ranges: v.object({ ...onDevice, region }),
  map: v.object({
    ...onDevice,
    region,
    window,
    fromOffset: v.pipe(finite, v.minValue(0)),
    toOffset: v.pipe(finite, v.minValue(0)),
    rows: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(4096)),
  }),
  /** All segments and blocks of one moment, by address. */
  state: v.object({ ...onDevice, event: moment }),
  /** What lies at an address at a moment. */
  hit: v.object({ ...onDevice, event: moment, address }),
  /** The numbers of one moment. */
  moment: v.object({ ...onDevice, event: moment }),
  block: v.object({ ...onDevice, block: index }),
  segment: v.object({ ...onDevice, segment: index }),
  event: v.object({ ...onDevice, event: index }),
  /** The last event at or before a time. */
  eventAt: v.object({ ...onDevice, time: finite }),
  /** Markers and annotations of a device, complete. */
  markers: v.object(onDevice),
  /** The call sites that have a colour of their own. */
  sites: v.object(onDevice),
  /** Everything that is alive at one moment by call stack, complete: what two traces are compared by. */
  holders: v.object({ ...onDevice, at: v.picklist(HOLDER_MOMENTS) }),
  /** What is known about the allocator: settings as recorded. */
  settings: v.object({ trace: traceId }),
  /** The captures that ship with the application. */
  samples: v.object({}),
  /** The profiles in a log directory, to choose one from. */
  profileRuns: v.object({ path: filePath }),
  ...simulationMethods,
  ...liveMethods,
  ...allocationMethods,
} as const;

export type MethodName = keyof typeof methods;
export type Args<M extends MethodName> = v.InferOutput<(typeof methods)[M]>;

/**
 * What a capture tells of addresses. "segments": blocks in segments, what lies between is free. "blocks": blocks alone,
 * what lies between is not known and reserved is what is active. "totals": sizes without addresses; totals are right,
 * but which allocation a free ended is not known, so blocks mean nothing one by one.
 */
export type LayoutName = 'segments' | 'blocks' | 'totals';

export interface DeviceInfo {
  readonly ordinal: number;
  /** Position in `TraceInfo.parts`; null where there are none. */
  readonly part: number | null;
  /** Whether its events have times; in a set some files may have none. */
  readonly hasClock: boolean;
  /** Times of its first and last event; null without a clock or without events. */
  readonly span: { readonly first: Nanoseconds; readonly last: Nanoseconds } | null;
  /** False when its file was cut off. */
  readonly isComplete: boolean;
  readonly kind: string;
  readonly layout: LayoutName;
  /** As the capture names it, "GPU_0_bfc"; null when it does not. */
  readonly allocator: string | null;
  /** Whether lives were recorded; otherwise every event is one whole state. */
  readonly hasHistory: boolean;
  /** Small blocks lie in the segments of large ones, and only their size makes them immediate. */
  readonly isRegionBySize: boolean;
  /** What tells its regions apart; "nothing" where all is shown as pooled because the capture does not say. */
  readonly regionsBy: 'segments' | 'size' | 'capture' | 'nothing';
  /** False when a block's request is not known for all, and taken as its size. */
  readonly areRequestsKnown: boolean;
  readonly events: number;
  readonly blocks: number;
  readonly segments: number;
  /** Those that were there before the recording; they come first in the rows. */
  readonly olderBlocks: number;
  readonly olderSegments: number;
  /** Regions that ever held a segment. */
  readonly regions: readonly RegionName[];
  readonly peakReserved: Bytes;
  readonly peakReservedEvent: EventIndex;
  /**
   * The moment that views show as the peak: the first of the highest reserved bytes or, where `isPeakOfActive`, that
   * of the most active ones, at which reserved is as high.
   */
  readonly peakEvent: EventIndex;
  /**
   * What is reserved says nothing of the peak: the plan of a compiled program takes all from the start, and totals
   * without addresses have no segments. Of such totals it is known who holds them at the peak.
   */
  readonly isPeakOfActive: boolean;
}

/** One file of a set. */
export interface PartInfo {
  readonly name: string;
  readonly path: string | null;
  /** As the file says it, else as its name does; null when neither tells. Two files may be of one rank. */
  readonly rank: number | null;
  readonly format: string;
  readonly producer: string;
  readonly fileBytes: Bytes;
  readonly isComplete: boolean;
  /**
   * "wall": its times are dates, and it lies where they say. "start": its times have no date, and its first event is
   * put at time 0. "none": it has no times.
   */
  readonly clock: 'wall' | 'start' | 'none';
  /** Where its own time 0 lies on the axis. */
  readonly start: Nanoseconds;
  readonly settings: Readonly<Record<string, string>>;
}

/** A file of a set that could not be opened, and why. */
export interface RefusedPart {
  readonly name: string;
  readonly error: EngineErrorData;
}

export interface TraceInfo {
  readonly trace: string;
  readonly name: string;
  /** Where it came from, to open it again; null for an upload or a simulation. */
  readonly path: string | null;
  readonly source: TraceSource;
  readonly format: string;
  readonly producer: string;
  readonly fileBytes: Bytes;
  readonly hasClock: boolean;
  /** Wall clock of time 0 in milliseconds since the Unix epoch, or null. */
  readonly originMs: number | null;
  /** Last time of any event on any device and of any sample; 0 without a clock. */
  readonly durationNs: Nanoseconds;
  readonly isComplete: boolean;
  /** Sampled quantities, as a recording of GPUs holds; it has no devices. */
  readonly counters: number;
  readonly devices: readonly DeviceInfo[];
  /** Of a trace that is being received: it may grow, and every answer with it. Null for all others. */
  readonly growth: TraceGrowth | null;
  /** The files of a set; empty for a trace of one file. */
  readonly parts: readonly PartInfo[];
  readonly refused: readonly RefusedPart[];
}

export interface TraceGrowth {
  /** A session of live allocations. */
  readonly session: string;
  /** Counts up whenever the trace has grown. */
  readonly revision: number;
  /** Nothing more will come. */
  readonly isOver: boolean;
}

/** Series of one region: `columns` values each. */
export interface SeriesColumns {
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly last: Float64Array;
}
export type RegionSeries = Readonly<Record<MetricName, SeriesColumns>>;
export interface SeriesResult {
  readonly window: WindowArg;
  readonly regions: Readonly<Record<RegionName, RegionSeries>>;
  readonly total: RegionSeries;
}

/** See LiveWindow in native/analysis/index.h. */
export interface LiveBlocksResult {
  readonly window: WindowArg;
  readonly moment: Int32Array;
  readonly firstRun: Uint32Array;
  /** Block row, or 0xffffffff for an aggregate of small blocks. */
  readonly block: Uint32Array;
  /** Rank in `sites`. */
  readonly site: Uint16Array;
  readonly bytes: Float64Array;
  readonly blockCount: Uint32Array;
}

export interface FoldedRange {
  readonly address: Address;
  readonly bytes: Bytes;
  readonly offset: Bytes;
}

export interface MapResult {
  readonly window: WindowArg;
  readonly rows: number;
  readonly fromOffset: Bytes;
  readonly toOffset: Bytes;
  /** [rows * columns], row 0 lowest; shares of the cell's area, 0 to 255. */
  readonly mapped: Uint8Array;
  readonly occupied: Uint8Array;
  /** Rank of the site with most bytes in the cell, 0xffff for none. */
  readonly site: Uint16Array;
}

/** Columns over segments, then columns over blocks; a segment's address + blockOffset is a block's address. */
export interface StateResult {
  readonly event: EventIndex;
  readonly segmentAddress: BigUint64Array;
  readonly segmentBytes: Float64Array;
  readonly segmentActive: Float64Array;
  readonly segmentLargestFree: Float64Array;
  readonly segmentRow: Uint32Array;
  /** Position in REGIONS. */
  readonly segmentRegion: Uint8Array;
  /** [segments + 1] offsets into the block columns. */
  readonly segmentFirstBlock: Uint32Array;
  readonly blockRow: Uint32Array;
  /** Offset of the block from its segment's address. */
  readonly blockOffset: Float64Array;
  readonly blockBytes: Float64Array;
  /** 1 when freed but waiting for a stream. */
  readonly blockPending: Uint8Array;
  readonly blockSite: Uint16Array;
}

export type HitResult =
  | {
      readonly kind: 'block';
      readonly block: number;
      readonly segment: number;
      readonly address: Address;
      readonly bytes: Bytes;
    }
  | { readonly kind: 'hole'; readonly segment: number; readonly address: Address; readonly bytes: Bytes }
  | { readonly kind: 'unmapped'; readonly address: Address; readonly bytes: Bytes };

export interface RegionMoment {
  readonly allocated: Bytes;
  readonly active: Bytes;
  readonly reserved: Bytes;
  readonly requested: Bytes;
  readonly free: Bytes;
  readonly largestFree: Bytes;
  readonly holes: number;
  /** 1 − largest free / free; null when nothing is free. */
  readonly fragmentation: number | null;
  readonly cachedWhole: Bytes;
  readonly cachedWholeSegments: number;
  readonly stranded: Bytes;
  readonly segments: number;
  readonly blocks: number;
  /** Holes of 2^exponent up to 2^(exponent+1) bytes. */
  readonly holeClasses: readonly {
    readonly exponent: number;
    readonly count: number;
    readonly bytes: Bytes;
  }[];
}

export interface SiteShare {
  /** Rank in `sites`, the last one ("other") for those without a colour of their own. */
  readonly site: number;
  readonly name: string;
  readonly stack: number | null;
  readonly bytes: Bytes;
  readonly blocks: number;
}

export interface MomentResult {
  readonly event: EventIndex;
  /** Null when the capture has no clock. */
  readonly time: Nanoseconds | null;
  readonly regions: Readonly<Record<RegionName, RegionMoment>>;
  readonly total: RegionMoment;
  readonly sites: readonly SiteShare[];
}

export interface FrameInfo {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** True for runtime, library and interpreter frames, which views fold. */
  readonly isFolded: boolean;
}

export interface MomentRef {
  readonly event: EventIndex;
  readonly time: Nanoseconds | null;
}

export interface BlockInfo {
  readonly block: number;
  readonly address: Address;
  readonly bytes: Bytes;
  readonly requested: Bytes;
  readonly region: RegionName;
  /** Null when it is older than the recording. */
  readonly birth: MomentRef | null;
  readonly freeRequested: MomentRef | null;
  readonly death: MomentRef | null;
  readonly stream: string;
  readonly pool: readonly [number, number];
  readonly segment: number;
  readonly segmentAddress: Address;
  readonly segmentBytes: Bytes;
  readonly site: number;
  readonly siteName: string;
  readonly label: string | null;
  readonly stack: readonly FrameInfo[];
  /** False when its size is an estimate (after the first mismatch). */
  readonly isExact: boolean;
}

export interface SegmentInfo {
  readonly segment: number;
  readonly address: Address;
  readonly bytes: Bytes;
  readonly region: RegionName;
  readonly isLarge: boolean;
  readonly isExpandable: boolean;
  readonly birth: MomentRef | null;
  readonly death: MomentRef | null;
  readonly stream: string;
  readonly pool: readonly [number, number];
  readonly stack: readonly FrameInfo[];
}

export interface EventInfo {
  readonly event: EventIndex;
  readonly time: Nanoseconds | null;
  /** PyTorch's action name, e.g. "free_requested". */
  readonly action: string;
  readonly address: Address;
  readonly size: Bytes;
  readonly stream: string;
  readonly pool: readonly [number, number];
  readonly label: string | null;
  readonly stack: readonly FrameInfo[];
  readonly block: number | null;
  readonly segment: number | null;
}

export interface Marker {
  readonly kind: 'failure' | 'snapshot' | 'flush' | 'peak';
  readonly event: EventIndex;
  readonly time: Nanoseconds | null;
  /** failure: the rounded request; flush: bytes given back; peak: reserved bytes; snapshot: active bytes. */
  readonly bytes: Bytes;
  /** flush: how many segments were given back in a row. */
  readonly count: number;
}

export interface AnnotationInfo {
  readonly name: string;
  readonly begin: Nanoseconds;
  readonly end: Nanoseconds;
  readonly beginEvent: EventIndex;
  readonly endEvent: EventIndex;
  readonly depth: number;
  readonly hasBegin: boolean;
  readonly hasEnd: boolean;
}

export interface MarkersResult {
  readonly markers: readonly Marker[];
  readonly annotations: readonly AnnotationInfo[];
}

export interface SiteInfo {
  readonly name: string;
  readonly function: string;
  readonly kind: 'site' | 'before' | 'other' | 'unknown';
  readonly bytesAtPeak: Bytes;
}

/** What one call stack holds. */
export interface Holder {
  readonly bytes: Bytes;
  readonly blocks: number;
  /** Name of the call site. */
  readonly site: string;
  readonly kind: SiteInfo['kind'];
  /** Rows of `frames`, innermost first; empty when no stack was recorded. */
  readonly stack: readonly number[];
}

export interface HoldersResult {
  readonly event: EventIndex;
  readonly time: Nanoseconds | null;
  /** "function (file:line)". */
  readonly frames: readonly string[];
  /** Largest first. */
  readonly holders: readonly Holder[];
}

/** The runs of a log directory, newest first, with the full paths of their files. */
export interface ProfileRunsResult {
  readonly folder: string;
  readonly runs: readonly ProfileRun[];
  /** False when the folder was too large, or too closed, to look into all of it. */
  readonly isWhole: boolean;
}

export interface SampleInfo {
  readonly name: string;
}

export interface Results extends SimulationResults, LiveResults, AllocationResults {
  open: TraceInfo;
  close: null;
  list: readonly TraceInfo[];
  report: Report;
  series: SeriesResult;
  liveBlocks: LiveBlocksResult;
  ranges: readonly FoldedRange[];
  map: MapResult;
  state: StateResult;
  hit: HitResult;
  moment: MomentResult;
  block: BlockInfo;
  segment: SegmentInfo;
  event: EventInfo;
  eventAt: EventIndex;
  markers: MarkersResult;
  sites: readonly SiteInfo[];
  holders: HoldersResult;
  settings: Readonly<Record<string, string>>;
  samples: readonly SampleInfo[];
  profileRuns: ProfileRunsResult;
}

export type Stage = 'unpack' | 'read' | 'rebuild' | 'simulate' | 'index';

export interface ProgressInfo {
  readonly stage: Stage;
  readonly done: number;
  readonly total: number;
  readonly events: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ProgressInfo) => void;
}

/** What every caller sees, whatever carries it. Rejects with an EngineError. */
export interface Engine {
  call<M extends MethodName>(method: M, args: Args<M>, options?: CallOptions): Promise<Results[M]>;
}
