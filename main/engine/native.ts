import type { RunRequest } from '../../app/contract/simulation.ts';
import type { NativeGrowingTrace } from './native-growing.ts';
import type { NativeCounters, NativeLiveOptions, NativeLiveSampler } from './native-live.ts';
import type { NativeDecision, NativeSimulation, NativeSimulator, NativeSweep } from './native-runs.ts';

/**
 * What the addon exports, as native/binding expresses it. Addresses and totals that may pass 2^53 are bigint, sizes
 * and times doubles; rows that are not there are null. Every method but `open` and `close` fails with an Error that
 * carries `code`, `remedy` and `byte` (see errors.ts).
 */
export interface NativeAddon {
  open(path: string, onProgress: NativeProgress): NativeOpening;
  /** Several files as one trace; it has no parts when none of them can be read. `bytes` weigh in the progress. */
  openSet(files: readonly NativeSetFile[], onProgress: NativeProgress): NativeOpening;
  /** The format of a file that begins like this; "json" or "html" for what may hold a snapshot, "" for the unknown. */
  recognise(start: Uint8Array): string;
  /** The low 32 bits of XXH64, as zstd states them of a frame's content. */
  readonly ContentHash: new () => NativeContentHash;
  /** Samples GPUs until it is closed. */
  readonly LiveSampler: new (
    options: NativeLiveOptions,
  ) => NativeLiveSampler;
  /** A capture that is being received. */
  readonly GrowingTrace: new () => NativeGrowingTrace;
  /** Replays a text trace through the allocator of a configuration; without `outPath` only the totals come back. */
  replay(tracePath: string, configurationPath: string, outPath: string | null): NativeReplaying;
  simulators(): readonly NativeSimulator[];
}

export interface NativeSetFile {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
}

export interface NativeContentHash {
  update(bytes: Uint8Array): void;
  low32(): number;
}

export type NativeProgress = (stage: string, done: number, total: number, events: number) => void;

/** Work on another thread; after `cancel` the promise fails with "cancelled". */
export interface NativeJob<Result> {
  readonly promise: Promise<Result>;
  cancel(): void;
}
export type NativeOpening = NativeJob<NativeTrace>;

export interface NativeReplaying {
  readonly promise: Promise<NativeReplay>;
  cancel(): void;
}

export interface NativeReplay {
  readonly operations: number;
  readonly requests: number;
  readonly refused: number;
  readonly warnings: readonly {
    readonly code: string;
    readonly message: string;
    readonly isDamage: boolean;
  }[];
}

/** `isTime`: the window's axis; `region`: position in REGIONS; `device`: position in facts().devices. */
export interface NativeTrace {
  facts(): NativeFacts;
  close(): void;

  /** [region or total][metric][min, max, last][column]. */
  series(device: number, isTime: boolean, from: number, to: number, columns: number): Promise<Float64Array>;
  liveBlocks(
    device: number,
    isTime: boolean,
    from: number,
    to: number,
    columns: number,
    pixelRows: number,
  ): Promise<NativeLive>;
  map(
    device: number,
    region: number,
    isTime: boolean,
    from: number,
    to: number,
    columns: number,
    fromOffset: number,
    toOffset: number,
    rows: number,
  ): Promise<NativeMap>;
  ranges(device: number, region: number): Promise<NativeRanges>;

  state(device: number, event: number): Promise<NativeState>;
  moment(device: number, event: number): Promise<NativeMoment>;
  hit(device: number, event: number, address: bigint): Promise<NativeHit>;
  eventAt(device: number, time: number): number;
  markers(device: number): Promise<readonly NativeMarker[]>;
  annotations(device: number): readonly NativeAnnotation[];
  consumers(device: number, event: number, limit: number): Promise<readonly NativeConsumer[]>;

  counters(): NativeCounters;
  /** [min, max, last][column]. */
  counterWindow(counter: number, from: number, to: number, columns: number): Promise<Float64Array>;

  /** What a counter is beyond what a device's allocator held, over a window of times. */
  difference(
    device: number,
    counter: number,
    from: number,
    to: number,
    columns: number,
  ): Promise<NativeDifference>;

  sites(device: number): readonly NativeSite[];
  /** Regions in order, then their sum; counters as in COUNTERS. */
  extremes(device: number): readonly NativeExtremes[];
  block(device: number, block: number): NativeBlock;
  segment(device: number, segment: number): NativeSegment;
  event(device: number, event: number): NativeEvent;
  frames(stack: number): readonly NativeFrame[];

  /** `capacity`: bytes of the device, or null for what the recording shows. */
  simulate(
    device: number,
    run: RunRequest,
    capacity: number | null,
    columns: number,
    keep: boolean,
    onProgress: NativeProgress,
  ): NativeJob<NativeSimulation>;
  /** Without `runs` those worth trying. */
  sweep(
    device: number,
    runs: readonly RunRequest[] | null,
    capacity: number | null,
    columns: number,
    onProgress: NativeProgress,
  ): NativeJob<NativeSweep>;
  /** Of a simulated trace; other ones fail with "not-a-simulation". */
  decisions(device: number, event: number, onProgress: NativeProgress): NativeJob<readonly NativeDecision[]>;
}

export interface NativeFacts {
  readonly format: string;
  readonly producer: string;
  readonly isComplete: boolean;
  readonly hasClock: boolean;
  /** False when the times have no date. */
  readonly hasOrigin: boolean;
  readonly originNs: bigint;
  readonly fileBytes: number;
  /** How many sampled quantities there are, and until when the last values hold. */
  readonly counters: number;
  readonly countersEnd: number;
  readonly devices: readonly NativeDevice[];
  readonly settings: readonly (readonly [string, string])[];
  readonly warnings: readonly NativeWarning[];
  /** Of a set; both empty for one file. `file`: position among those that were to be opened. */
  readonly parts: readonly NativePart[];
  readonly refused: readonly NativeRefused[];
}

export interface NativePart {
  readonly file: number;
  readonly name: string;
  readonly format: string;
  readonly producer: string;
  readonly isComplete: boolean;
  readonly clock: 'wall' | 'start' | 'none';
  readonly start: number;
  readonly settings: readonly (readonly [string, string])[];
}

export interface NativeRefused {
  readonly file: number;
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  /** Position in the file, or -1. */
  readonly byte: number;
}

export interface NativeDifference {
  /** [min, max, last][column]. */
  readonly columns: Float64Array;
  readonly subtracted: 'reserved' | 'stated' | 'active';
  readonly known: number;
  readonly negative: number;
  readonly smallest: number;
  readonly largest: number;
}

export interface NativeDevice {
  readonly ordinal: number;
  /** Position in facts().parts, or 0. */
  readonly part: number;
  /** Null without times or without events. */
  readonly firstTime: number | null;
  readonly kind: string;
  /** As the capture names it; may be empty. */
  readonly allocator: string;
  readonly layout: 'segments' | 'blocks' | 'totals';
  readonly events: number;
  readonly allocations: number;
  readonly blocks: number;
  readonly segments: number;
  readonly olderBlocks: number;
  readonly olderSegments: number;
  readonly finalSegments: number;
  readonly lastTime: number;
  readonly hasHistory: boolean;
  /** Small blocks in pooled segments count as immediate (Device::isRegionBySize). */
  readonly isRegionBySize: boolean;
  readonly areRequestsKnown: boolean;
  readonly isEventListComplete: boolean;
  /** The moment to show as the peak (Device::peak), where the totals do not tell it. */
  readonly peak: number | null;
  readonly uses: readonly boolean[];
  readonly possible: Readonly<Record<'allocated' | 'active' | 'reserved' | 'requested', bigint>>;
  /** Sums over the final state as the capture states it. */
  readonly storedEnd: Readonly<Record<'allocated' | 'active' | 'reserved' | 'requested', bigint>>;
  readonly exactness: {
    readonly verdict: 'exact' | 'estimated' | 'mismatch' | 'not-applicable';
    readonly placements: number;
    readonly placementsMatched: number;
    readonly segmentEvents: number;
    readonly segmentEventsMatched: number;
    readonly finalBlocks: number;
    readonly finalBlocksMatched: number;
    readonly firstMismatch: number | null;
    readonly code: string;
    readonly because: string;
    readonly hiddenBlocks: number;
    readonly hiddenBytes: number;
  };
}

export interface NativeWarning {
  readonly code: string;
  readonly message: string;
  /** Position in the file, or -1. */
  readonly byte: number;
  /** Position in a text, counted from 1, or -1. */
  readonly line: number;
  readonly isDamage: boolean;
  /** Position in facts().parts; null for the set as a whole. */
  readonly part: number | null;
}

export interface NativeLive {
  readonly moment: Int32Array;
  readonly firstRun: Uint32Array;
  readonly block: Uint32Array;
  readonly site: Uint16Array;
  readonly bytes: Float64Array;
  readonly blockCount: Uint32Array;
}

export interface NativeMap {
  readonly mapped: Uint8Array;
  readonly occupied: Uint8Array;
  readonly site: Uint16Array;
}

export interface NativeRanges {
  readonly address: BigUint64Array;
  readonly bytes: Float64Array;
  readonly offset: Float64Array;
}

export interface NativeState {
  readonly segmentAddress: BigUint64Array;
  readonly segmentBytes: Float64Array;
  readonly segmentActive: Float64Array;
  readonly segmentLargestFree: Float64Array;
  readonly segmentRow: Uint32Array;
  readonly segmentRegion: Uint8Array;
  readonly segmentFirstBlock: Uint32Array;
  readonly blockRow: Uint32Array;
  readonly blockOffset: Float64Array;
  readonly blockBytes: Float64Array;
  readonly blockPending: Uint8Array;
  readonly blockSite: Uint16Array;
}

export interface NativeRegionMoment {
  readonly allocated: bigint;
  readonly active: bigint;
  readonly reserved: bigint;
  readonly requested: bigint;
  readonly largestFree: bigint;
  readonly holeCount: number;
  readonly cachedWhole: bigint;
  readonly cachedWholeSegments: number;
  readonly segments: number;
  readonly blocks: number;
  readonly holes: readonly { readonly exponent: number; readonly count: number; readonly bytes: number }[];
}

export interface NativeMoment {
  readonly regions: readonly NativeRegionMoment[];
  readonly sites: readonly {
    readonly site: number;
    readonly stack: number | null;
    readonly bytes: number;
    readonly blocks: number;
    readonly name: string;
  }[];
}

export interface NativeHit {
  readonly kind: 'block' | 'hole' | 'unmapped';
  readonly block: number | null;
  readonly segment: number | null;
  readonly address: bigint;
  readonly bytes: number;
}

export interface NativeMarker {
  readonly kind: 'failure' | 'snapshot' | 'flush';
  readonly event: number;
  readonly bytes: number;
  readonly count: number;
}

export interface NativeAnnotation {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
  readonly beginEvent: number;
  readonly endEvent: number;
  readonly depth: number;
  readonly hasBegin: boolean;
  readonly hasEnd: boolean;
}

export interface NativeConsumer {
  readonly stack: number | null;
  readonly bytes: bigint;
  readonly count: number;
  readonly firstBlock: number;
}

export interface NativeSite {
  readonly name: string;
  readonly function: string;
  readonly kind: 'site' | 'before' | 'other' | 'unknown';
  readonly bytesAtPeak: number;
}

export interface NativeExtremes {
  readonly peak: readonly { readonly bytes: bigint; readonly event: number }[];
  readonly final: readonly bigint[];
}

export interface NativeMomentRef {
  readonly event: number;
  readonly time: number | null;
}

interface NativePlace {
  readonly address: bigint;
  /** Raw stream value. */
  readonly stream: bigint;
  readonly pool: readonly [number, number];
  /** Row for frames(). */
  readonly stack: number | null;
}

interface NativeLife {
  readonly bytes: number;
  /** Position in REGIONS. */
  readonly region: number;
  /** Null when older than the recording. */
  readonly birth: NativeMomentRef | null;
  readonly death: NativeMomentRef | null;
}

export interface NativeBlock extends NativePlace, NativeLife {
  readonly requested: number;
  readonly freeRequested: NativeMomentRef | null;
  readonly segment: number;
  readonly site: number;
  readonly label: string | null;
  readonly isExact: boolean;
}

export interface NativeSegment extends NativePlace, NativeLife {
  readonly isLarge: boolean;
  readonly isExpandable: boolean;
}

export interface NativeEvent extends NativePlace {
  readonly time: number | null;
  readonly action: string;
  readonly size: bigint;
  readonly label: string | null;
  /** Block or segment, by the action; null for the others. */
  readonly row: number | null;
}

export interface NativeFrame {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly isFolded: boolean;
}
