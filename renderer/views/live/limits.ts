import type { GpuInfo, GpuLimits, GpuNow } from '../../../app/contract/live.ts';

/** What the user may be warned of: percent of the memory, °C, watts. */
export const LIMIT_NAMES = ['memory', 'temperature', 'power'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];
export type Limits = Readonly<Record<LimitName, number | null>>;
/** By the id of the GPU, so that they are found again after another start, whatever the order is then. */
export type LimitsById = Readonly<Record<string, Limits>>;

export const NO_LIMITS: Limits = { memory: null, temperature: null, power: null };

export const LIMIT_UNITS: Readonly<Record<LimitName, string>> = {
  memory: '%',
  temperature: '°C',
  power: 'W',
};

/** More than that can never be reached, or stands for no GPU there is. */
export const LIMIT_MOST: Readonly<Record<LimitName, number>> = { memory: 100, temperature: 1000, power: 1e6 };

export interface Passed {
  readonly gpu: number;
  readonly limit: LimitName;
  readonly value: number;
  readonly most: number;
}

/** The limits that are reached now, `limits` in the order of the GPUs. What is not known reaches nothing. */
export function passedLimits(gpus: readonly GpuNow[], limits: readonly Limits[]): readonly Passed[] {
  return gpus.flatMap((gpu, position) =>
    LIMIT_NAMES.flatMap((limit) => {
      const value = measured(gpu, limit);
      const most = limits[position]?.[limit] ?? null;
      return value !== null && most !== null && value >= most ? [{ gpu: position, limit, value, most }] : [];
    }),
  );
}

function measured({ values }: GpuNow, limit: LimitName): number | null {
  if (limit === 'temperature') return values.temperature;
  if (limit === 'power') return values.power === null ? null : values.power / 1000;
  const { used, total } = values;
  return used === null || total === null || total === 0 ? null : (100 * used) / total;
}

/** In the order of the GPUs. */
export function limitsOf(gpus: readonly GpuInfo[], all: LimitsById): readonly Limits[] {
  return gpus.map(({ id }) => all[id] ?? NO_LIMITS);
}

/** A GPU without a limit is left out, so that what is kept does not grow with every machine that was looked at. */
export function withLimits(all: LimitsById, id: string, limits: Limits): LimitsById {
  const { [id]: _, ...others } = all;
  return LIMIT_NAMES.every((name) => limits[name] === null) ? others : { ...others, [id]: limits };
}

/** As the engine takes them. */
export function gpuLimits(all: LimitsById): GpuLimits[] {
  return Object.entries(all).map(([id, limits]) => ({ id, ...limits }));
}
