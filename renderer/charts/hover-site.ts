import { create } from 'zustand';

/** The call site under the pointer: every picture emphasises it. Nothing of it outlives the hover. */
export const useHoverSite = create<{
  readonly site: number | null;
  setSite(site: number | null): void;
}>()((set) => ({ site: null, setSite: (site) => set({ site }) }));
