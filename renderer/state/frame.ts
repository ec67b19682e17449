import { create } from 'zustand';

/** What is open around the views for the moment; nothing of it outlives the page. */
export type DialogName = 'help' | 'goTo' | 'missing' | 'difference';

export interface FrameState {
  readonly dialog: DialogName | null;
  /** In narrow windows the inspector lies over the view. */
  readonly isInspectorOverlayOpen: boolean;
  /** Paths of the traces that were lost when the engine stopped; null when it did not. */
  readonly lostPaths: readonly string[] | null;
  /** The connection to the engine is away and is being sought. */
  readonly isDisconnected: boolean;
  openDialog(dialog: DialogName | null): void;
  setInspectorOverlay(isOpen: boolean): void;
  setLostPaths(paths: readonly string[] | null): void;
  setDisconnected(isDisconnected: boolean): void;
}

export const useFrame = create<FrameState>()((set) => ({
  dialog: null,
  isInspectorOverlayOpen: false,
  lostPaths: null,
  isDisconnected: false,
  openDialog: (dialog) => set({ dialog }),
  setInspectorOverlay: (isInspectorOverlayOpen) => set({ isInspectorOverlayOpen }),
  setLostPaths: (lostPaths) => set({ lostPaths }),
  setDisconnected: (isDisconnected) => set({ isDisconnected }),
}));
