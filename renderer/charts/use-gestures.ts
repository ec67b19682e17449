import { type RefObject, useLayoutEffect, useRef } from 'react';
import { pointerIn } from '../design/pointer.ts';
import type { Range } from '../state/store.ts';
import { beforeDrawing } from './frame-loop.ts';
import { panBy, span, toValue, wheelFactor, zoomAt } from './viewport.ts';

/** A place inside the plot, in CSS pixels from its top left corner. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface Gestures {
  readonly width: number;
  /** The visible range as it is now. */
  readonly range: () => Range;
  readonly full: Range;
  readonly smallest: number;
  /** Pixels right of the plot that still mean its last column. */
  readonly margin: number;
  readonly onRange: (range: Range) => void;
  readonly onHover: (place: Place | null) => void;
  /** A press that did not become a drag. */
  readonly onClick: (place: Place) => void;
  readonly onDoubleClick: (place: Place) => void;
  /** While dragging, with no end; and once more at its end. */
  readonly onDrag: (from: Place, to: Place, end: DragEnd | null) => void;
  /** Ctrl+wheel; without it, it zooms time like the wheel alone. */
  readonly onAddressWheel?: (y: number, factor: number) => void;
}

export interface DragEnd {
  readonly isFree: boolean;
}

/** A press that moves less than this is a click. */
const DRAG_FROM = 4;

/**
 * The pointer on a time plot: wheel zooms at the pointer, Shift+wheel and sideways wheels pan, drag brushes, click and
 * double-click are told on. Wheel steps are gathered and applied once a frame.
 */
export function useGestures(element: RefObject<HTMLElement | null>, gestures: Gestures): void {
  const latest = useRef(gestures);
  useLayoutEffect(() => {
    latest.current = gestures;
  });
  useLayoutEffect(() => {
    const target = element.current;
    if (target === null) return;
    const stopWheel = followWheel(target, latest);
    const stopPointer = followPointer(target, latest);
    return () => {
      stopWheel();
      stopPointer();
    };
  }, [element]);
}

function placeOf(target: HTMLElement, event: MouseEvent, { width, margin }: Gestures): Place {
  const { x, y } = pointerIn(target, event);
  return { x: x >= width && x < width + margin ? width - 0.01 : x, y };
}

interface WheelStep {
  x: number;
  y: number;
  zoom: number;
  pan: number;
  address: number;
}

function followWheel(target: HTMLElement, latest: RefObject<Gestures>): () => void {
  let pending: WheelStep | null = null;
  const apply = () => {
    const step = pending;
    pending = null;
    if (step === null) return;
    const { width, full, smallest, onRange, onAddressWheel } = latest.current;
    const range = latest.current.range();
    if (step.address !== 1) onAddressWheel?.(step.y, step.address);
    const panned = panBy(range, (step.pan / Math.max(1, width)) * span(range), full);
    const zoomed = zoomAt(panned, toValue(panned, width, step.x), step.zoom, full, smallest);
    if (zoomed.from !== range.from || zoomed.to !== range.to) onRange(zoomed);
  };
  const onWheel = (event: WheelEvent) => {
    event.preventDefault();
    const place = placeOf(target, event, latest.current);
    if (pending === null) beforeDrawing(apply);
    pending ??= { ...place, zoom: 1, pan: 0, address: 1 };
    pending.x = place.x;
    pending.y = place.y;
    const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (isSideways) pending.pan += event.deltaX || event.deltaY;
    else if (event.ctrlKey && latest.current.onAddressWheel !== undefined) {
      pending.address *= wheelFactor(event.deltaY, event.deltaMode);
    } else pending.zoom *= wheelFactor(event.deltaY, event.deltaMode);
  };
  target.addEventListener('wheel', onWheel, { passive: false });
  return () => {
    pending = null;
    target.removeEventListener('wheel', onWheel);
  };
}

function followPointer(target: HTMLElement, latest: RefObject<Gestures>): () => void {
  let start: Place | null = null;
  let isDragging = false;
  const onDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    start = placeOf(target, event, latest.current);
    isDragging = false;
    target.setPointerCapture(event.pointerId);
  };
  const onMove = (event: PointerEvent) => {
    const place = placeOf(target, event, latest.current);
    if (start !== null && (isDragging || Math.hypot(place.x - start.x, place.y - start.y) >= DRAG_FROM)) {
      isDragging = true;
      latest.current.onDrag(start, place, null);
    }
    latest.current.onHover(place);
  };
  const onUp = (event: PointerEvent) => {
    if (start === null) return;
    const place = placeOf(target, event, latest.current);
    if (isDragging) latest.current.onDrag(start, place, { isFree: event.altKey });
    else latest.current.onClick(place);
    start = null;
    isDragging = false;
  };
  const onLeave = () => {
    if (start === null) latest.current.onHover(null);
  };
  const onCancel = () => {
    start = null;
    isDragging = false;
    latest.current.onHover(null);
  };
  const onDouble = (event: MouseEvent) =>
    latest.current.onDoubleClick(placeOf(target, event, latest.current));
  target.addEventListener('pointerdown', onDown);
  target.addEventListener('pointermove', onMove);
  target.addEventListener('pointerup', onUp);
  target.addEventListener('pointerleave', onLeave);
  target.addEventListener('pointercancel', onCancel);
  target.addEventListener('dblclick', onDouble);
  return () => {
    target.removeEventListener('pointerdown', onDown);
    target.removeEventListener('pointermove', onMove);
    target.removeEventListener('pointerup', onUp);
    target.removeEventListener('pointerleave', onLeave);
    target.removeEventListener('pointercancel', onCancel);
    target.removeEventListener('dblclick', onDouble);
  };
}
