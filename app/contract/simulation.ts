import * as v from 'valibot';
import type { Bytes, EventIndex, Nanoseconds } from '../domain/units.ts';
import type { TraceInfo } from './engine.ts';

/** What "what if" asks and answers: the requests of a trace through another allocator, or other settings of its own. */

const name = v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,40}$/));
const settings = v.record(v.pipe(v.string(), v.maxLength(80)), v.pipe(v.string(), v.maxLength(4096)));

/** One run: an allocator (see `simulators`) and the settings that are not at their defaults. */
const run = v.object({ allocator: name, settings });
export type RunRequest = v.InferOutput<typeof run>;

/** Nanoseconds that one driver call of each kind is taken to cost. */
const costModel = v.object({
  allocate: v.pipe(v.number(), v.finite(), v.minValue(0)),
  free: v.pipe(v.number(), v.finite(), v.minValue(0)),
  map: v.pipe(v.number(), v.finite(), v.minValue(0)),
  unmap: v.pipe(v.number(), v.finite(), v.minValue(0)),
  synchronize: v.pipe(v.number(), v.finite(), v.minValue(0)),
});
export type CostModel = v.InferOutput<typeof costModel>;

const common = {
  trace: v.pipe(v.string(), v.regex(/^t[0-9]{1,9}$/)),
  device: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 31 - 1)),
  /**
   * Bytes of the device, the largest number for one without a limit; null: as the recording shows it (see
   * RunSummary.capacity), without a limit where it shows none.
   */
  capacity: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(Number.MAX_SAFE_INTEGER))),
  costModel: v.nullable(costModel),
  /** Columns of each run's timeline. */
  columns: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(4096)),
};

export const simulationMethods = {
  /** The allocators that can be simulated, and their knobs. */
  simulators: v.object({}),
  /** One run; with `keep` its result is opened as a trace of its own. Reports progress and can be cancelled. */
  simulate: v.object({ ...common, run, keep: v.boolean() }),
  /**
   * Several runs in parallel; without `runs` those that are worth trying on this trace. The answer is ranked, best first.
   * Reports progress and can be cancelled.
   */
  sweep: v.object({ ...common, runs: v.nullable(v.pipe(v.array(run), v.minLength(1), v.maxLength(200))) }),
  /** What a simulated trace's allocator looked at, and why it chose, when it served one event. */
  decisions: v.object({ trace: common.trace, device: common.device, event: common.device }),
} as const;

export type KnobKind = 'bytes' | 'count' | 'fraction' | 'flag' | 'choice' | 'text';

export interface KnobInfo {
  /** As the allocator's own documentation names it. */
  readonly name: string;
  readonly kind: KnobKind;
  /** As a user would write it; empty: not set. */
  readonly initial: string;
  readonly choices: readonly string[];
  /** Both ends allowed; null: any value. */
  readonly least: number | null;
  readonly most: number | null;
}

export interface SimulatorInfo {
  readonly name: string;
  readonly knobs: readonly KnobInfo[];
  /** A teaching model or a plan that no driver follows. */
  readonly isModel: boolean;
}

/** A moment of the recording that was simulated. */
export interface RunMoment {
  readonly event: EventIndex;
  readonly time: Nanoseconds | null;
}

export interface RunFailure extends RunMoment {
  /** As the program asked. */
  readonly requested: Bytes;
  /** Free in the allocator's own segments at that moment, its largest hole, and what the device could still give. */
  readonly free: Bytes;
  readonly largestFree: Bytes;
  readonly deviceFree: Bytes | null;
}

export interface DriverCalls {
  readonly allocate: number;
  readonly free: number;
  readonly reserve: number;
  readonly map: number;
  readonly unmap: number;
  readonly synchronize: number;
  /** Of those above, the ones the device refused. */
  readonly refused: number;
}

/** Why a run's numbers may differ from what a real run would show; each is a sentence on screen. */
export type RunCaveat =
  /** `count` blocks were freed when a stream had finished; the recorded times were kept. */
  | { readonly code: 'recorded-stream-frees'; readonly count: number }
  /** `count` blocks are older than the recording: they were placed first, in order of address. */
  | { readonly code: 'older-blocks'; readonly count: number }
  /** The trace itself is an estimate from some event on. */
  | { readonly code: 'estimated-trace'; readonly count: number }
  /** `count` requests of the recording failed there; each is asked, and given back at once where it fits. */
  | { readonly code: 'failed-requests-asked'; readonly count: number }
  /** Private pools of the recording (`count`) are unknown to this allocator: their requests went to the one it has. */
  | { readonly code: 'pools-merged'; readonly count: number }
  /** `count` events give back what was never asked for; they were left out. */
  | { readonly code: 'unmatched-frees'; readonly count: number }
  /** The recording knows blocks, not what was asked for: `count` requests have the sizes its allocator rounded to. */
  | { readonly code: 'rounded-requests'; readonly count: number };

/** How much of a recording a run came out like: addresses with sizes, segment events in order, blocks at the end. */
export interface Reproduction {
  readonly placements: number;
  readonly matched: number;
  readonly segmentEvents: number;
  readonly segmentEventsMatched: number;
  readonly finalBlocks: number;
  readonly finalBlocksMatched: number;
}

export interface RunSummary {
  readonly allocator: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Bytes of the device that the run had; null without a limit. */
  readonly capacity: Bytes | null;
  /** 'recorded-failure': reserved + free as the recording's failed request states them. */
  readonly capacityFrom: 'given' | 'recorded-failure' | 'none';
  readonly peakReserved: Bytes;
  readonly peakReservedAt: RunMoment;
  readonly finalReserved: Bytes;
  readonly peakAllocated: Bytes;
  /** Peak of the bytes the program had asked for and not freed: no allocator needs less. */
  readonly lowerBound: Bytes;
  /** At the peak of reserved. */
  readonly activeAtPeak: Bytes;
  readonly freeAtPeak: Bytes;
  readonly largestFreeAtPeak: Bytes;
  /** 1 − largest free / free, the largest value of the run and its moment; null when nothing was ever free. */
  readonly peakFragmentation: { readonly value: number; readonly at: RunMoment } | null;
  readonly requests: number;
  readonly calls: DriverCalls;
  /** An estimate: calls × the cost model. */
  readonly estimatedCostNs: number;
  readonly failureCount: number;
  readonly firstFailure: RunFailure | null;
  readonly caveats: readonly RunCaveat[];
  /**
   * Against the recording, when the run has the recording's own allocator and settings (it then starts from the
   * recorded state, on a driver that answers as the recorded one did); null otherwise.
   */
  readonly reproduces: Reproduction | null;
  /** [columns] over the recording's whole length (its time, or its events without a clock): the most in each column. */
  readonly timeline: { readonly reserved: Float64Array; readonly active: Float64Array };
}

export interface SimulateResult {
  readonly summary: RunSummary;
  /** The run as a trace of its own; null unless it was asked to be kept. */
  readonly trace: TraceInfo | null;
}

export interface SweepResult {
  /** The recording itself, measured the same way (calls as its segment events count them). */
  readonly recording: Omit<RunSummary, 'allocator' | 'settings' | 'reproduces' | 'caveats'> & {
    /** False where the capture knows blocks but no segments: reserved is then no more than what is active. */
    readonly isReservedKnown: boolean;
  };
  /** Best first: runs without failures by peak reserved, then the others by how far they came. */
  readonly runs: readonly RunSummary[];
  /** Runs that could not start, with the reason, in the order asked. */
  readonly refused: readonly { readonly run: RunRequest; readonly code: string; readonly message: string }[];
}

export interface DecisionInfo {
  readonly step: 'round' | 'consider' | 'take' | 'split' | 'coalesce' | 'grow' | 'flush' | 'defer' | 'refuse';
  /** Stable code, e.g. "too-small"; "none" where the step says everything. */
  readonly reason: string;
  readonly address: string | null;
  readonly bytes: Bytes;
}

export interface SimulationResults {
  simulators: readonly SimulatorInfo[];
  simulate: SimulateResult;
  sweep: SweepResult;
  decisions: readonly DecisionInfo[];
}
