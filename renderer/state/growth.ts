import type { TraceInfo } from '../../app/contract/engine.ts';
import { fullRange, type Range, type Selection, type TraceState } from './store.ts';

/** What a trace that has grown makes of the place where the user is. Pure. */

type Place = Pick<TraceState, 'device' | 'cursor' | 'range' | 'selection'>;

const NANOSECONDS_PER_MILLISECOND = 1_000_000;

/** Whether a window shows the end: it then goes on to do so. */
export function isAtEnd({ info, device, axis, range }: TraceState): boolean {
  return range.to >= fullRange(info, device, axis).to;
}

/**
 * Who is at the end stays there, the cursor and the window each for itself; who looks at the past stays where they
 * are. A selection names the same thing as before.
 */
export function placeAfterGrowth(before: TraceState, info: TraceInfo): Place {
  const was = before.info.devices[before.device];
  const found = info.devices.findIndex((one) => one.kind === was?.kind && one.ordinal === was.ordinal);
  const device = Math.max(0, found);
  const lastBefore = (was?.events ?? 0) - 1;
  const last = (info.devices[device]?.events ?? 0) - 1;
  return {
    device,
    cursor: before.cursor >= lastBefore ? last : before.cursor,
    range: rangeAfter(before, info, device),
    selection: selectionAfter(before, info, device),
  };
}

function rangeAfter(before: TraceState, info: TraceInfo, device: number): Range {
  const { axis, range } = before;
  const full = fullRange(info, device, axis);
  const shift = axis === 'time' ? shiftOfStart(before.info, info) : 0;
  if (!isAtEnd(before)) return shift === 0 ? range : { from: range.from + shift, to: range.to + shift };
  if (range.from <= 0) return full;
  return { from: Math.max(0, full.to - (range.to - range.from)), to: full.to };
}

/** A program may tell of something that was before all it told so far; time 0 is that, then. */
function shiftOfStart(before: TraceInfo, info: TraceInfo): number {
  if (before.originMs === null || info.originMs === null) return 0;
  return (before.originMs - info.originMs) * NANOSECONDS_PER_MILLISECOND;
}

/** Rows are in order of birth, so what turns out to be older than the recording moves all that came after. */
function selectionAfter(before: TraceState, info: TraceInfo, device: number): Selection | null {
  const { selection } = before;
  const was = before.info.devices[before.device];
  const now = info.devices[device];
  if (selection === null || was === undefined || now === undefined) return null;
  if (selection.kind === 'block') {
    return { kind: 'block', block: moved(selection.block, was.olderBlocks, now.olderBlocks) };
  }
  if (selection.kind !== 'segment') return selection;
  // Blocks that had no segment had rows of their own among the segments, which go when one is found.
  const isSame = was.olderSegments === now.olderSegments && was.layout === now.layout;
  return isSame ? selection : null;
}

function moved(row: number, olderBefore: number, older: number): number {
  return row < olderBefore ? row : row + older - olderBefore;
}
