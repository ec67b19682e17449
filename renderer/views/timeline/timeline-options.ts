import { create } from 'zustand';

/** How the Timeline is set up, the same for every trace. */
export interface TimelineOptions {
  /** Null until the user chose: regions, or the total where a damaged capture knows only that between bounds. */
  readonly mode: 'region' | 'total' | null;
  readonly folded: ReadonlySet<string>;
  /** Lane height, 1 = as the window has room. */
  readonly laneScale: number;
  setMode(mode: 'region' | 'total'): void;
  toggleFold(lane: string): void;
  scaleLanes(factor: number): void;
}

const LOWEST = 0.6;
const HIGHEST = 4;

export const useTimelineOptions = create<TimelineOptions>()((set) => ({
  mode: null,
  folded: new Set(),
  laneScale: 1,
  setMode: (mode) => set({ mode }),
  toggleFold: (lane) =>
    set(({ folded }) => {
      const changed = new Set(folded);
      if (!changed.delete(lane)) changed.add(lane);
      return { folded: changed };
    }),
  scaleLanes: (factor) =>
    set(({ laneScale }) => ({ laneScale: Math.min(HIGHEST, Math.max(LOWEST, laneScale * factor)) })),
}));
