import type { Args } from '../../../app/contract/engine.ts';
import {
  GPU_METRICS,
  type GpuMetric,
  type GpuNow,
  type LiveEvent,
  type LiveInfo,
  type LiveNow,
  type LiveResults,
  type RecordingStatus,
  type SampledColumns,
} from '../../../app/contract/live.ts';

const GIB = 1024 ** 3;
const SECOND = 1e9;

/** A sampler that stands still: two GPUs, the second of which is lost, or none at all. */
export class FakeLive {
  private readonly hasGpus: boolean;
  private recording: RecordingStatus | null = null;
  private readonly events: LiveEvent[] = [];
  private isSimulated = false;
  private hz = 5;

  constructor(hasGpus = true) {
    this.hasGpus = hasGpus;
  }

  readonly handlers = {
    liveStart: ({ scenario }: Args<'liveStart'>): LiveInfo => {
      this.isSimulated = scenario !== null;
      const gpu = {
        vendor: scenario === null ? 'nvidia' : 'simulated',
        bus: '',
        driver: '575.57',
        slowdown: 87,
      };
      const name = scenario === null ? 'NVIDIA H200' : 'Simulated GPU';
      const found = this.hasGpus || scenario !== null;
      return {
        isComplete: true,
        scenario,
        isContainer: true,
        gpus: found ? [0, 1].map((at) => ({ ...gpu, id: `GPU-${at}`, name, parent: null })) : [],
        lookedFor: found ? [] : LOOKED_FOR,
      };
    },
    live: ({ afterEvent }: Args<'live'>): LiveNow => ({
      state: 'sampling',
      stuck: null,
      originMs: 1_700_000_000_000,
      now: 100 * SECOND,
      hz: this.hz,
      realHz: this.hz,
      samples: 500,
      isSimulated: this.isSimulated,
      gpus: [gpuNow(65.5 * GIB), { ...gpuNow(null), isLost: true, processes: null }],
      time: 100 * SECOND,
      oldest: 0,
      events: this.events.filter((event) => event.number > afterEvent),
      recording: this.recording,
    }),
    liveSeries: ({ columns }: Args<'liveSeries'>) =>
      Object.fromEntries(
        GPU_METRICS.map((metric) => [metric, seriesOf(gpuNow(65.5 * GIB).values[metric], columns)]),
      ) as unknown as LiveResults['liveSeries'],
    liveRate: ({ hz }: Args<'liveRate'>) => {
      this.hz = hz;
      return null;
    },
    liveWatch: () => null,
    liveMark: ({ text }: Args<'liveMark'>) => {
      const number = this.events.length + 1;
      this.events.push({ number, time: 90 * SECOND, kind: 'mark', gpu: null, text, pid: null, bytes: null });
      return null;
    },
    liveRecord: () => {
      this.recording = {
        path: '/home/me/gpus.strata',
        isActive: true,
        bytes: 1_100_000,
        samples: 671,
        length: 67_000_000_000,
        lost: 0,
        parts: 1,
        keptBytes: 1_100_000,
        keptSamples: 671,
        problem: '',
      };
      return this.recording;
    },
    liveRecordStop: () => {
      this.recording = { ...(this.recording as RecordingStatus), isActive: false };
      return this.recording;
    },
    counters: () => ({ counters: [], marks: [] }),
    counterSeries: () => [],
    driver: ({ window }: Args<'driver'>): LiveResults['driver'] => ({
      window,
      driver: seriesOf(gpuNow(65.5 * GIB).values.used, window.columns),
      difference: seriesOf(2 * GIB, window.columns),
      subtracted: 'reserved',
      samples: 500,
      negative: 0,
      smallest: 2 * GIB,
      largest: 2 * GIB,
    }),
  };
}

const LOOKED_FOR: LiveInfo['lookedFor'] = [
  {
    kind: 'nvidia',
    outcome: 'missing',
    code: 'library-not-found',
    what: 'libnvidia-ml.so.1',
    where: ['libnvidia-ml.so.1'],
    detail: '',
    version: '',
  },
  {
    kind: 'amd',
    outcome: 'missing',
    code: 'no-cards',
    what: 'mem_info_vram_total',
    where: ['/sys/class/drm'],
    detail: '',
    version: '',
  },
  {
    kind: 'drm',
    outcome: 'missing',
    code: 'no-cards',
    what: 'fdinfo',
    where: ['/sys/class/drm'],
    detail: '',
    version: '',
  },
];

function gpuNow(used: number | null): GpuNow {
  const values = Object.fromEntries(GPU_METRICS.map((metric) => [metric, null])) as Record<
    GpuMetric,
    number | null
  >;
  if (used === null) return { values, accounting: 'unknown', isLost: false, processes: null };
  const total = 131.4 * GIB;
  const known = {
    total,
    used,
    reserved: GIB,
    free: total - used - GIB,
    busy: 45,
    temperature: 67,
    power: 317_000,
  };
  return {
    values: { ...values, ...known, 'power-limit': 700_000 },
    accounting: 'reserved-apart',
    isLost: false,
    processes: [
      { pid: 41877, name: 'python', bytes: 62.8 * GIB, busy: 91 },
      { pid: 41902, name: 'jupyter', bytes: 2.2 * GIB, busy: null },
    ],
  };
}

/** The middle fifth is a gap. */
function seriesOf(value: number | null, columns: number): SampledColumns {
  const values = Float64Array.from({ length: columns }, (_, column) => {
    const isGap = column >= columns * 0.4 && column < columns * 0.6;
    return value === null || isGap ? Number.NaN : value;
  });
  return { min: values, max: values, last: values };
}
