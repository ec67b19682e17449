import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import {
  GPU_METRICS,
  type GpuInfo,
  type GpuMetric,
  type GpuNow,
  type LookedFor,
  type MemoryAccounting,
  type Scenario,
} from '../../app/contract/live.ts';
import { loadAddon } from './addon.ts';
import type { NativeLiveSampler, NativeLiveStatus, NativeSamples } from './native-live.ts';

export interface SamplerOptions {
  /** Null: the GPUs of this machine. */
  readonly scenario: Scenario | null;
  readonly hz: number;
  readonly withPcie?: boolean;
  /** Of Strata, for recordings. */
  readonly version?: string;
}

/** Growth of a process that is worth an event. */
const GROWTH_BYTES = 256 * 1024 * 1024;

/** Starts to look for GPUs. Where to look can be said in the environment, for unusual installations and tests. */
export function startSampler(options: SamplerOptions): NativeLiveSampler {
  return new (loadAddon().LiveSampler)({
    scenario: options.scenario ?? '',
    nvmlLibrary: process.env['STRATA_NVML_LIBRARY'] ?? '',
    sysfsRoot: process.env['STRATA_SYSFS_ROOT'] ?? '/sys',
    procRoot: process.env['STRATA_PROC_ROOT'] ?? '/proc',
    withPcie: options.withPcie ?? false,
    hz: options.hz,
    growthBytes: GROWTH_BYTES,
    version: options.version ?? '',
    host: hostname(),
  });
}

const ACCOUNTINGS: readonly MemoryAccounting[] = [
  'unknown',
  'reserved-apart',
  'reserved-in-used',
  'sum-of-processes',
];
const LOST = 16;

/** What one of the samples says of each GPU. */
export function gpusOf(samples: NativeSamples, sample: number): readonly GpuNow[] {
  const count = samples.times.length === 0 ? 0 : samples.states.length / samples.times.length;
  return Array.from({ length: count }, (_, gpu) => {
    const place = sample * count + gpu;
    const state = samples.states[place] as number;
    const values = GPU_METRICS.map((metric, column): [GpuMetric, number | null] => {
      const value = samples.values[place * GPU_METRICS.length + column] as number;
      return [metric, Number.isNaN(value) ? null : value];
    });
    return {
      values: Object.fromEntries(values) as Record<GpuMetric, number | null>,
      accounting: ACCOUNTINGS[state % LOST] ?? 'unknown',
      isLost: state >= LOST,
      processes: samples.processes[samples.lists[place] as number] ?? null,
    };
  });
}

/** Whether this process runs in a container, where GPUs must be passed in. */
export function isContainer(): boolean {
  return existsSync('/.dockerenv') || existsSync('/run/.containerenv');
}

export type Sampler = NativeLiveSampler;
export type SamplerStatus = NativeLiveStatus;
export type Samples = NativeSamples;
export type { GpuInfo, LookedFor };
