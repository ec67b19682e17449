import type { GpuNow } from '../../../app/contract/live.ts';

/** What the user may be warned of: percent of the memory, °C, watts. */
export const LIMIT_NAMES = ['memory', 'temperature', 'power'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];
export type Limits = Readonly<Record<LimitName, number | null>>;

export interface Passed {
  readonly gpu: number;
  readonly limit: LimitName;
  readonly value: number;
}

/** The limits that are passed now. What is not known passes nothing. */
export function passedLimits(gpus: readonly GpuNow[], limits: Limits): readonly Passed[] {
  return gpus.flatMap((gpu, position) =>
    LIMIT_NAMES.flatMap((limit) => {
      const value = measured(gpu, limit);
      const most = limits[limit];
      return value !== null && most !== null && value >= most ? [{ gpu: position, limit, value }] : [];
    }),
  );
}

function measured({ values }: GpuNow, limit: LimitName): number | null {
  if (limit === 'temperature') return values.temperature;
  if (limit === 'power') return values.power === null ? null : values.power / 1000;
  const { used, total } = values;
  return used === null || total === null || total === 0 ? null : (100 * used) / total;
}
