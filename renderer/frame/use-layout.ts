import { useSyncExternalStore } from 'react';
import { useStore } from '../state/store.ts';

const RAIL_BELOW = 1200;
const OVERLAY_BELOW = 1100;

function subscribe(listener: () => void): () => void {
  addEventListener('resize', listener);
  return () => removeEventListener('resize', listener);
}

export interface Layout {
  /** The sidebar is a rail of icons. */
  readonly isRail: boolean;
  /** The inspector lies over the view. */
  readonly isOverlay: boolean;
}

/** Follows the width of the window, in the pixels that the interface's scale leaves. */
export function useLayout(): Layout {
  const scale = useStore((state) => state.settings.scalePercent) / 100;
  const width = useSyncExternalStore(subscribe, () => innerWidth) / scale;
  return { isRail: width < RAIL_BELOW, isOverlay: width < OVERLAY_BELOW };
}

export function isOverlayNow(): boolean {
  return innerWidth / (useStore.getState().settings.scalePercent / 100) < OVERLAY_BELOW;
}
