import { useRef, useSyncExternalStore } from 'react';
import { useActiveTrace } from '../state/active-trace.ts';
import { type Range, useStore, visibleRange } from '../state/store.ts';
import { onDrawing, requestDrawing } from './frame-loop.ts';

/**
 * What follows the visible range frame by frame. `useActiveTrace().range` is where the range last rested; the small
 * parts of a page that move with it read it here, so that nothing else renders while it moves.
 */

useStore.subscribe((state, before) => {
  if (state.traces !== before.traces) requestDrawing();
});

/** Renders again in the frames in which what `read` gives is no longer the same. */
export function useLive<T>(read: () => T, isSame: (one: T, other: T) => boolean = Object.is): T {
  const last = useRef<{ readonly value: T } | null>(null);
  return useSyncExternalStore(onDrawing, () => {
    const value = read();
    if (last.current === null || !isSame(last.current.value, value)) last.current = { value };
    return last.current.value;
  });
}

/** While the window moves, what may lag behind it follows in every so many frames. */
const LAG = 12;

/** As `useLive`, for what need not be in step with the picture: it lags while the window moves and is exact at rest. */
export function useLagging<T>(read: () => T): T {
  const { info, range: rested } = useActiveTrace();
  const seen = useRef({ visible: rested, frames: 0 }).current;
  const last = useRef<{ readonly value: T } | null>(null);
  return useLive(() => {
    const visible = visibleRange(info.trace);
    if (visible !== seen.visible) {
      seen.visible = visible;
      seen.frames += 1;
    }
    const isMoving = visible.from !== rested.from || visible.to !== rested.to;
    if (last.current !== null && isMoving && seen.frames % LAG !== 0) return last.current.value;
    last.current = { value: read() };
    return last.current.value;
  });
}

/** The visible range of the active trace, as it is in this frame. */
export function useVisibleRange(): Range {
  const { trace } = useActiveTrace().info;
  return useLive(() => visibleRange(trace));
}

/** Makes something from its arguments, and gives it again while they stay the same. */
export function lastOf<Given extends readonly unknown[], Made>(
  make: (...given: Given) => Made,
): (...given: Given) => Made {
  let last: { readonly given: Given; readonly made: Made } | null = null;
  return (...given) => {
    if (last === null || given.some((value, at) => value !== last?.given[at])) {
      last = { given, made: make(...given) };
    }
    return last.made;
  };
}
