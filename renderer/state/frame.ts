import { create } from 'zustand';
import type { Source } from '../../app/contract/engine.ts';
import type { OfferedFolder } from '../engine/platform.ts';

/** What is open around the views for the moment; nothing of it outlives the page. */
export type DialogName = 'help' | 'goTo' | 'missing' | 'difference' | 'together' | 'runs';

export interface LostTrace {
  readonly source: Source;
  readonly name: string;
}

export interface FrameState {
  readonly dialog: DialogName | null;
  /** A log directory whose runs are offered in the dialog. */
  readonly offeredRuns: OfferedFolder | null;
  /** In narrow windows the inspector lies over the view. */
  readonly isInspectorOverlayOpen: boolean;
  /** What the traces were made of that were lost when the engine stopped; null when it did not. */
  readonly lost: readonly LostTrace[] | null;
  /** Sets that were made because their files' names look like ranks, and nobody asked for one trace. */
  readonly guessedSets: ReadonlySet<string>;
  /** Traces that were opened at once, each on its own, because their files do not look like ranks. */
  readonly openedApart: ReadonlySet<string>;
  /** Sets whose banner was dismissed. */
  readonly toldSets: ReadonlySet<string>;
  /** The connection to the engine is away and is being sought. */
  readonly isDisconnected: boolean;
  openDialog(dialog: DialogName | null): void;
  /** Asks which run to open. */
  offerRuns(runs: OfferedFolder): void;
  setInspectorOverlay(isOpen: boolean): void;
  setLost(lost: readonly LostTrace[] | null): void;
  setDisconnected(isDisconnected: boolean): void;
  guessSet(trace: string): void;
  setOpenedApart(traces: readonly string[]): void;
  tellSet(trace: string): void;
}

export const useFrame = create<FrameState>()((set) => ({
  dialog: null,
  offeredRuns: null,
  isInspectorOverlayOpen: false,
  lost: null,
  guessedSets: new Set(),
  openedApart: new Set(),
  toldSets: new Set(),
  isDisconnected: false,
  openDialog: (dialog) => set({ dialog }),
  offerRuns: (offeredRuns) => set({ offeredRuns, dialog: 'runs' }),
  setInspectorOverlay: (isInspectorOverlayOpen) => set({ isInspectorOverlayOpen }),
  setLost: (lost) => set({ lost }),
  setDisconnected: (isDisconnected) => set({ isDisconnected }),
  guessSet: (trace) => set(({ guessedSets }) => ({ guessedSets: new Set([...guessedSets, trace]) })),
  setOpenedApart: (traces) => set({ openedApart: new Set(traces) }),
  tellSet: (trace) => set(({ toldSets }) => ({ toldSets: new Set([...toldSets, trace]) })),
}));
