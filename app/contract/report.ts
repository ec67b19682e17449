import type { Bytes, EventIndex, Nanoseconds } from '../domain/units.ts';
import type { LayoutName } from './engine.ts';
import type { Position } from './error.ts';

/**
 * The facts of a trace: what `strata report --json` prints and the Overview shows. Schema "strata.report/1":
 * members are only ever added. Numbers are JSON integers; above 2^53 they are strings.
 */
export interface Report {
  readonly schema: 'strata.report/1';
  readonly file: string;
  readonly format: string;
  readonly producer: string;
  readonly complete: boolean;
  readonly file_bytes: Bytes;
  readonly has_clock: boolean;
  readonly origin: string | null;
  readonly duration_ns: Nanoseconds;
  readonly settings: Readonly<Record<string, string>>;
  readonly devices: readonly ReportDevice[];
  /** Sampled quantities, as a recording of GPUs holds. */
  readonly counters: readonly ReportCounter[];
  readonly warnings: readonly ReportWarning[];
  /** The files of a set, in order; empty for one file. */
  readonly files: readonly ReportFile[];
}

export interface ReportFile {
  readonly file: string;
  /** As `ReportDevice.file` and warnings name it. */
  readonly name: string;
  readonly rank: number | null;
  readonly format: string;
  readonly producer: string;
  readonly complete: boolean;
  readonly file_bytes: Bytes;
  /** What its times stand on, as PartInfo says it, and where its own time 0 lies. */
  readonly clock: 'wall' | 'start' | 'none';
  readonly start_ns: Nanoseconds;
  readonly settings: Readonly<Record<string, string>>;
}

/** A sampled quantity over the whole recording; null where it was never known. */
export interface ReportCounter {
  readonly group: string;
  readonly name: string;
  readonly unit: string;
  readonly process: boolean;
  readonly smallest: number | null;
  readonly largest: number | null;
  readonly last: number | null;
}

export interface Peak {
  readonly bytes: Bytes;
  /** The first event after which it stood; -1 before the first. */
  readonly event: EventIndex;
  readonly time_ns: Nanoseconds | null;
}

export type CounterName = 'allocated' | 'active' | 'reserved' | 'requested';
export type Peaks = Readonly<Record<CounterName, Peak>>;
export type Finals = Readonly<Record<CounterName, Bytes>>;

export type PossibleExtra = Readonly<Record<CounterName, Bytes | null>>;

export interface ReportRegion {
  readonly peak: Peaks;
  readonly final: Finals;
}

export interface ReportExact {
  readonly verdict: 'exact' | 'estimated' | 'mismatch' | 'not-applicable';
  readonly placements: number;
  readonly placements_matched: number;
  readonly segment_events: number;
  readonly segment_events_matched: number;
  readonly final_blocks: number;
  readonly final_blocks_matched: number;
  readonly first_mismatch: EventIndex | null;
  /** Stable code and one sentence; null when exact. */
  readonly code: string | null;
  readonly because: string | null;
  /** Blocks whose end is hidden by the free memory behind it, and by how many bytes they may together be larger. */
  readonly hidden: { readonly blocks: number; readonly bytes: Bytes } | null;
}

export interface ReportFailure {
  readonly event: EventIndex;
  readonly time_ns: Nanoseconds | null;
  /** Bytes the program asked for, when a capture says so; PyTorch records only the rounded request, so it is null there. */
  readonly requested: Bytes | null;
  readonly rounded: Bytes;
  /** Null when the capture does not say. */
  readonly device_free: Bytes | null;
  readonly stream: string;
  /** Null where no segments are known. */
  readonly free: Bytes | null;
  readonly largest_free: Bytes | null;
  readonly reserved: Bytes;
  readonly active: Bytes;
  readonly stack: readonly string[];
}

/** A stack and what it holds at the peak of allocated bytes. */
export interface ReportConsumer {
  readonly bytes: Bytes;
  readonly count: number;
  readonly site: string;
  /** "function (file:line)", innermost first. */
  readonly stack: readonly string[];
}

/** All null where no segments are known, or totals only between bounds: what is free is not known either. */
export interface ReportFragmentation {
  readonly formula: '1 - largest_free / free';
  readonly value: number | null;
  readonly free: Bytes | null;
  readonly largest_free: Bytes | null;
  readonly cached_whole: Bytes | null;
  readonly stranded: Bytes | null;
}

export interface ReportDevice {
  readonly ordinal: number;
  /** Of a set: its file's name and rank; null otherwise, or where the rank is not known. */
  readonly file: string | null;
  readonly rank: number | null;
  readonly kind: string;
  /** What the capture calls its allocator or its memory, such as "GPU_0_bfc"; null where it does not. */
  readonly allocator: string | null;
  readonly layout: LayoutName;
  readonly events: number;
  /** alloc events. */
  readonly allocations: number;
  /** Segments in the final state, as the capture counts them. */
  readonly segments: number;
  readonly has_history: boolean;
  /** False when the capture does not say what was asked for of every block: `requested` then repeats their sizes. */
  readonly requests_known: boolean;
  readonly peak: Peaks;
  readonly final: Finals;
  readonly regions: Readonly<Record<'immediate' | 'pooled' | 'virtual', ReportRegion>>;
  /** Per region at the peak of reserved. */
  readonly fragmentation_at_peak: Readonly<Record<'immediate' | 'pooled' | 'virtual', ReportFragmentation>>;
  readonly exact: ReportExact;
  readonly failures: readonly ReportFailure[];
  /** Largest call stacks at the peak of allocated, by bytes; at most 20; empty where only totals are known. */
  readonly top_at_peak: readonly ReportConsumer[];
  /**
   * Bytes a cut-off capture cannot place in time: totals are "at least" the values above and "at most" these more; a
   * counter is null where nothing says how much more. Null when the capture is complete.
   */
  readonly possible_extra: PossibleExtra | null;
  /** The end as a cut-off capture stores it apart from its events. Null when the capture is complete or holds no end. */
  readonly stored_end: Finals | null;
}

export interface ReportWarning {
  readonly code: string;
  readonly message: string;
  readonly position: Position | null;
  /** Of a set: the file it is about; absent for the set as a whole. */
  readonly file?: string;
  /** True when something in the file could not be read. */
  readonly damage?: boolean;
}
