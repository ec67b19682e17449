import * as v from 'valibot';
import { create } from 'zustand';
import { FASTEST_HZ, type Scenario, SLOWEST_HZ } from '../../../app/contract/live.ts';
import { readStored, writeStored } from '../../state/stored.ts';
import type { LimitsById } from './limits.ts';

export const SPANS = [10, 60, 600, 3600] as const;
export const RATES = [0.1, 0.5, 1, 2, 5, 10, 20, 50] as const;
/** MiB; a pebibyte is more than any GPU has. */
export const GROWTH = { least: 1, most: 2 ** 30 } as const;

/** What the user chose in the Live view and finds again after a reload. */
interface Kept {
  readonly spanSeconds: (typeof SPANS)[number];
  /** Samples a second. */
  readonly hz: number;
  /** Growth of a process that is told of. */
  readonly growthMib: number;
  readonly limits: LimitsById;
}

/** The rest outlives the view, not the page. */
export interface LiveState extends Kept {
  /** Null: the GPUs of this machine. */
  readonly scenario: Scenario | null;
  /** Position in the list of GPUs. */
  readonly gpu: number;
  /** The end of a held picture, ns; null when it moves on. */
  readonly heldAt: number | null;
  readonly isTableOpen: boolean;
  set(change: Partial<Omit<LiveState, 'set'>>): void;
}

const KEY = 'strata.live';
const USUAL = { spanSeconds: 60, hz: 5, growthMib: 256, limits: {} } as const satisfies Kept;

const limit = v.nullable(v.pipe(v.number(), v.finite(), v.minValue(0)));
const schema: v.GenericSchema<unknown, Kept> = v.object({
  spanSeconds: v.optional(v.picklist(SPANS), USUAL.spanSeconds),
  hz: v.optional(v.pipe(v.number(), v.minValue(SLOWEST_HZ), v.maxValue(FASTEST_HZ)), USUAL.hz),
  growthMib: v.optional(
    v.pipe(v.number(), v.integer(), v.minValue(GROWTH.least), v.maxValue(GROWTH.most)),
    USUAL.growthMib,
  ),
  limits: v.optional(
    v.record(v.string(), v.object({ memory: limit, temperature: limit, power: limit })),
    USUAL.limits,
  ),
});

export const useLiveStore = create<LiveState>()((set) => ({
  scenario: null,
  gpu: 0,
  heldAt: null,
  isTableOpen: false,
  ...readStored(KEY, schema, USUAL),
  set: (change) => set(change),
}));

useLiveStore.subscribe(({ spanSeconds, hz, growthMib, limits }, before) => {
  const isSame =
    spanSeconds === before.spanSeconds &&
    hz === before.hz &&
    growthMib === before.growthMib &&
    limits === before.limits;
  if (!isSame) writeStored(KEY, { spanSeconds, hz, growthMib, limits } satisfies Kept);
});
