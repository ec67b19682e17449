import { create } from 'zustand';
import type { Scenario } from '../../../app/contract/live.ts';
import type { LimitName } from './limits.ts';

/** What the user chose in the Live view; it outlives the view, not the page. */
export interface LiveState {
  /** Null: the GPUs of this machine. */
  readonly scenario: Scenario | null;
  /** Position in the list of GPUs. */
  readonly gpu: number;
  readonly spanSeconds: number;
  /** The end of a held picture, ns; null when it moves on. */
  readonly heldAt: number | null;
  readonly limits: Readonly<Record<LimitName, number | null>>;
  set(change: Partial<Omit<LiveState, 'set'>>): void;
}

export const SPANS = [10, 60, 600, 3600] as const;

export const useLiveStore = create<LiveState>()((set) => ({
  scenario: null,
  gpu: 0,
  spanSeconds: 60,
  heldAt: null,
  limits: { memory: null, temperature: null, power: null },
  set: (change) => set(change),
}));
