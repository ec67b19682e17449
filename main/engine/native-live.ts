import type {
  CounterInfo,
  GpuInfo,
  GpuLimits,
  GpuProcess,
  LiveEvent,
  LookedFor,
  RecordingStatus,
  TraceMark,
} from '../../app/contract/live.ts';

/** What the addon exports of sampling, as native/binding/live_sampler.h and express_live.cc express it. */
export interface NativeLiveOptions {
  /** Empty: the GPUs of this machine. */
  readonly scenario: string;
  /** The only file to try for NVML; empty: the usual places. */
  readonly nvmlLibrary: string;
  readonly sysfsRoot: string;
  readonly procRoot: string;
  readonly withPcie: boolean;
  readonly hz: number;
  readonly growthBytes: number;
  readonly version: string;
  readonly host: string;
}

export interface NativeLiveStatus {
  readonly state: 'looking' | 'sampling' | 'resting' | 'no-gpus' | 'stuck';
  readonly call: string;
  readonly stuckNs: number;
  readonly originNs: bigint;
  readonly now: number;
  readonly hz: number;
  readonly realHz: number;
  readonly firstSample: number;
  readonly endSample: number;
  readonly isSimulated: boolean;
  readonly recording: RecordingStatus | null;
}

export interface NativeSamples {
  readonly times: Float64Array;
  readonly gaps: Uint8Array;
  /** [sample][GPU][metric], NaN when absent. */
  readonly values: Float64Array;
  /** [sample][GPU]: memory accounting, + 16 when lost. */
  readonly states: Uint8Array;
  /** [sample][GPU]: row of `processes`. */
  readonly lists: Uint32Array;
  readonly processes: readonly (readonly GpuProcess[] | null)[];
}

export interface NativeLiveSampler {
  waitForGpus(patienceMs: number): Promise<boolean>;
  lookedFor(): readonly LookedFor[];
  gpus(): readonly GpuInfo[];
  status(): NativeLiveStatus;
  look(): void;
  setRate(hz: number): void;
  /** Limits: one entry for each GPU. */
  watch(growthBytes: number, limits: readonly Partial<GpuLimits>[]): void;
  samples(from: number, limit: number): NativeSamples;
  /** [metric][min, max, last][column]. */
  window(gpu: number, from: number, to: number, columns: number): Float64Array;
  events(after: number): readonly LiveEvent[];
  mark(text: string): void;
  /** `isAppending`: to a recording of the same GPUs that may be there already; otherwise it is replaced. */
  startRecording(path: string, limitBytes: number, isAppending: boolean): Promise<boolean>;
  stopRecording(): Promise<boolean>;
  close(): Promise<boolean>;
}

export interface NativeCounters {
  readonly counters: readonly CounterInfo[];
  readonly marks: readonly TraceMark[];
}
