import { useSyncExternalStore } from 'react';
import { type AppState, fullRange, type TraceState, useStore } from './store.ts';

/**
 * The trace on screen as React knows it. While its range moves, it stays the one in which the range rested before, so
 * that a page does not render with every frame of a gesture; what moves reads the range itself (charts/live.ts).
 */

/** A range rests that did not change for so long, and for two frames: where frames are slow, a gesture is too. */
const REST_MS = 120;

let resting: TraceState | null = null;
let changes = 0;
const listeners = new Set<() => void>();

function activeOf(state: AppState): TraceState | null {
  return state.traces.find((one) => one.info.trace === state.active) ?? null;
}

function isSameButRange(one: TraceState, other: TraceState): boolean {
  const keys = Object.keys(one) as (keyof TraceState)[];
  return keys.every((key) => key === 'range' || one[key] === other[key]);
}

function isWhole({ info, device }: TraceState): boolean {
  return info.devices[device]?.isComplete ?? info.isComplete;
}

/** What lies behind the end of a capture that is cut off shows while the end is visible, and takes room. */
function seesEnd({ info, device, axis, range }: TraceState): boolean {
  return range.to >= fullRange(info, device, axis).to;
}

function settleAtRest(): void {
  const change = changes;
  const settleUnchanged = () => {
    if (change === changes) settle();
  };
  setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(settleUnchanged)), REST_MS);
}

function settle(): void {
  resting = activeOf(useStore.getState());
  for (const listener of listeners) listener();
}

useStore.subscribe((state, before) => {
  const active = activeOf(state);
  if (active === activeOf(before)) return;
  changes++;
  const isMoving =
    active !== null &&
    resting !== null &&
    isSameButRange(active, resting) &&
    (isWhole(active) || seesEnd(active) === seesEnd(resting));
  if (isMoving) settleAtRest();
  else settle();
});

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export function useRestingTrace(): TraceState | null {
  return useSyncExternalStore(subscribe, () => resting);
}
