import * as v from 'valibot';
import type { Bytes, Nanoseconds } from '../domain/units.ts';

/**
 * The GPUs of this machine as they are now, and recordings of them. Times are nanoseconds since the sampler started.
 * A reading that is absent is null, and NaN in arrays: it is never zero instead.
 */

/** Readings in the order of the arrays; the same order as in recordings. */
export const GPU_METRICS = [
  'total',
  'used',
  'reserved',
  'free',
  'busy',
  'memory-busy',
  'temperature',
  'power',
  'power-limit',
  'core-clock',
  'memory-clock',
  'pcie-sent',
  'pcie-received',
  'energy',
] as const;
export type GpuMetric = (typeof GPU_METRICS)[number];

export const SCENARIOS = ['training-loop', 'slow-leak', 'eight-gpus', 'lost-gpu'] as const;
export type Scenario = (typeof SCENARIOS)[number];

export const SLOWEST_HZ = 0.1;
export const FASTEST_HZ = 50;

const finite = v.pipe(v.number(), v.finite());
const count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 31 - 1));
const hz = v.pipe(v.number(), v.minValue(SLOWEST_HZ), v.maxValue(FASTEST_HZ));
const traceId = v.pipe(v.string(), v.regex(/^t[0-9]{1,9}$/));
const columns = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(16384));

const growthBytes = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(2 ** 50));
const limit = v.nullable(v.pipe(v.number(), v.finite(), v.minValue(0)));
const gpuLimits = v.object({
  id: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  /** Percent of what the GPU has. */
  memory: limit,
  /** °C. */
  temperature: limit,
  /** W. */
  power: limit,
});
export type GpuLimits = v.InferOutput<typeof gpuLimits>;

export const liveMethods = {
  /**
   * Starts to sample, or goes on with what runs already when it is of the same source; `again` looks for GPUs anew.
   * Without a scenario: the GPUs of this machine. Sampling rests when `live` was not called for some seconds.
   */
  liveStart: v.object({ scenario: v.nullable(v.picklist(SCENARIOS)), again: v.boolean() }),
  /** How things stand now, with the events after a number. */
  live: v.object({ afterEvent: count }),
  /** One GPU's readings over a window. */
  liveSeries: v.object({ gpu: count, from: finite, to: finite, columns }),
  liveRate: v.object({ hz }),
  /**
   * What is told as an event, here and in a recording: a process that grew by more than so much, and readings of GPUs,
   * named by their ids, that reach a limit. What is not named has no limit.
   */
  liveWatch: v.object({ growthBytes, limits: v.pipe(v.array(gpuLimits), v.maxLength(4096)) }),
  liveMark: v.object({ text: v.pipe(v.string(), v.minLength(1), v.maxLength(200)) }),
  /** Starts a recording in a file that the engine names. */
  liveRecord: v.object({}),
  /** Ends it; answers with the file, to be opened. */
  liveRecordStop: v.object({}),
  /** What a trace holds besides blocks: sampled quantities and named moments. */
  counters: v.object({ trace: traceId }),
  /** Some of them over a window. */
  counterSeries: v.object({
    trace: traceId,
    counters: v.pipe(v.array(count), v.maxLength(4096)),
    from: finite,
    to: finite,
    columns,
  }),
  /**
   * A counter in bytes over a window of the time axis, and what it is beyond what the allocator of a device held at each
   * sample: `native/analysis/difference.h` defines it.
   */
  driver: v.object({
    trace: traceId,
    device: count,
    counter: count,
    window: v.object({ axis: v.literal('time'), from: finite, to: finite, columns }),
  }),
} as const;

/** What the driver counts as used. */
export type MemoryAccounting = 'unknown' | 'reserved-apart' | 'reserved-in-used' | 'sum-of-processes';

export interface GpuInfo {
  /** Stable: the UUID, else the bus address. */
  readonly id: string;
  readonly name: string;
  readonly vendor: string;
  readonly bus: string;
  readonly driver: string;
  /** Of a MIG instance: the position of its GPU. */
  readonly parent: number | null;
  /** °C at which the hardware slows itself down. */
  readonly slowdown: number | null;
}

/** What was looked for to find GPUs of one kind. */
export interface LookedFor {
  readonly kind: 'nvidia' | 'amd' | 'drm' | 'simulated';
  readonly outcome: 'found' | 'missing' | 'failed';
  /** Stable: "library-not-found", "driver-not-loaded", … */
  readonly code: string;
  readonly what: string;
  readonly where: readonly string[];
  /** In the words of the loader or the driver, or empty. */
  readonly detail: string;
  readonly version: string;
}

export interface LiveInfo {
  /** False while a driver has not answered yet; ask again. */
  readonly isComplete: boolean;
  readonly scenario: Scenario | null;
  readonly gpus: readonly GpuInfo[];
  readonly lookedFor: readonly LookedFor[];
  readonly isContainer: boolean;
}

export interface GpuProcess {
  readonly pid: number;
  /** Empty when it cannot be told. */
  readonly name: string;
  readonly bytes: Bytes | null;
  /** Percent of the time since the last look. */
  readonly busy: number | null;
}

export interface GpuNow {
  readonly values: Readonly<Record<GpuMetric, number | null>>;
  readonly accounting: MemoryAccounting;
  readonly isLost: boolean;
  readonly processes: readonly GpuProcess[] | null;
}

export interface LiveEvent {
  readonly number: number;
  readonly time: Nanoseconds;
  /**
   * "process-came", "process-went", "process-grew", "mark", "memory-limit", "temperature-limit", "power-limit",
   * "gpu-lost", "gpu-back", "reading-failed", …
   */
  readonly kind: string;
  readonly gpu: number | null;
  readonly text: string;
  readonly pid: number | null;
  /** Of the process, or what it grew by. */
  readonly bytes: Bytes | null;
}

export interface RecordingStatus {
  readonly path: string;
  readonly isActive: boolean;
  readonly bytes: Bytes;
  readonly samples: number;
  /** From its first sample to its last; what it goes on with is not counted. */
  readonly length: Nanoseconds;
  /** Samples that could not be written. */
  readonly lost: number;
  readonly parts: number;
  /** In the file and its older part; what was before those is gone. */
  readonly keptBytes: Bytes;
  readonly keptSamples: number;
  /** Why nothing is written now, or empty. */
  readonly problem: string;
}

export interface LiveNow {
  readonly state: 'looking' | 'sampling' | 'resting' | 'no-gpus' | 'stuck';
  /** The driver's call that has not returned, with the time since when, or null. */
  readonly stuck: { readonly call: string; readonly for: Nanoseconds } | null;
  /** Wall clock of time 0, ms since the Unix epoch. */
  readonly originMs: number;
  readonly now: Nanoseconds;
  /** Asked for. */
  readonly hz: number;
  /** Samples a second as they come; 0 when that is not known yet. */
  readonly realHz: number;
  readonly samples: number;
  readonly isSimulated: boolean;
  readonly gpus: readonly GpuNow[];
  /** Time of those readings; null before the first. */
  readonly time: Nanoseconds | null;
  /** Time of the oldest sample that is kept. */
  readonly oldest: Nanoseconds | null;
  readonly events: readonly LiveEvent[];
  /** The recording under way, or the last one. */
  readonly recording: RecordingStatus | null;
}

/** Columns of equal width: the extremes and the last of the values in force in each. */
export interface SampledColumns {
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly last: Float64Array;
}

export interface CounterInfo {
  /** Whose it is: "GPU 0". */
  readonly group: string;
  /** A GpuMetric, a process, or what the file calls it. */
  readonly name: string;
  readonly unit:
    | 'bytes'
    | 'bytes-per-second'
    | 'percent'
    | 'celsius'
    | 'milliwatts'
    | 'millijoules'
    | 'megahertz'
    | 'count';
  readonly isProcess: boolean;
  readonly points: number;
  /** Position in `TraceInfo.parts`; 0 where there are none. */
  readonly part: number;
}

export interface TraceMark {
  readonly time: Nanoseconds;
  readonly group: string | null;
  readonly kind: string;
  readonly text: string;
}

export interface CountersResult {
  readonly counters: readonly CounterInfo[];
  readonly marks: readonly TraceMark[];
}

export interface DriverResult {
  readonly window: {
    readonly axis: 'time';
    readonly from: number;
    readonly to: number;
    readonly columns: number;
  };
  readonly driver: SampledColumns;
  readonly difference: SampledColumns;
  /**
   * What was subtracted. "reserved": the bytes in segments. "stated": the reserved bytes that the capture states beside
   * its events. "active": the bytes in live blocks, because the capture does not say what was reserved.
   */
  readonly subtracted: 'reserved' | 'stated' | 'active';
  /** Of the whole trace: samples with a difference, those below zero, and the extremes (null without a sample). */
  readonly samples: number;
  readonly negative: number;
  readonly smallest: Bytes | null;
  readonly largest: Bytes | null;
}

export interface LiveResults {
  liveStart: LiveInfo;
  live: LiveNow;
  liveSeries: Readonly<Record<GpuMetric, SampledColumns>>;
  liveRate: null;
  liveWatch: null;
  liveMark: null;
  liveRecord: RecordingStatus;
  liveRecordStop: RecordingStatus;
  counters: CountersResult;
  counterSeries: readonly SampledColumns[];
  driver: DriverResult;
}
