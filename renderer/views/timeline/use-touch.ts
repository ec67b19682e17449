import { useLayoutEffect } from 'react';
import type { Lane } from './lane-layout.ts';
import type { LaneTouch, TouchBook } from './plot-view.ts';

/** Enters what a lane says and does into the book, anew after every drawing. */
export function useTouch(touches: TouchBook, lane: Lane, touch: LaneTouch): void {
  useLayoutEffect(() => {
    if (lane.isFolded) touches.delete(lane.id);
    else touches.set(lane.id, touch);
  });
  useLayoutEffect(
    () => () => {
      touches.delete(lane.id);
    },
    [touches, lane.id],
  );
}
