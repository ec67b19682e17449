import type { AnnotationInfo, AxisName, Marker } from '../../app/contract/engine.ts';
import type { Range } from '../state/store.ts';
import { toPixel } from './viewport.ts';

/** A named stretch on its row, or several that are too narrow to tell apart. */
export interface AnnotationMark {
  readonly x: number;
  readonly width: number;
  readonly depth: number;
  /** How many annotations it stands for. */
  readonly count: number;
  readonly first: AnnotationInfo;
  readonly last: AnnotationInfo;
}

/** PyTorch's profiler names optimizer steps "Optimizer.step#AdamW.step"; what follows the mark says it all. */
export function shortName(annotation: AnnotationInfo): string {
  return /^Optimizer\.\w+#(.+)$/.exec(annotation.name)?.[1] ?? annotation.name;
}

/** Bars narrower than this merge with narrow neighbours nearer than it. */
const NARROW = 3;

/** Where an annotation begins and ends on an axis. */
export function annotationRange(annotation: AnnotationInfo, axis: AxisName): Range {
  return axis === 'time'
    ? { from: annotation.begin, to: annotation.end }
    : { from: annotation.beginEvent, to: annotation.endEvent + 1 };
}

/** The visible annotations, by depth and then by begin; nothing is left out, the narrow ones are counted. */
export function prepareAnnotations(
  annotations: readonly AnnotationInfo[],
  axis: AxisName,
  range: Range,
  width: number,
): AnnotationMark[] {
  const open = new Map<number, AnnotationMark>();
  const marks: AnnotationMark[] = [];
  for (const annotation of annotations) {
    const where = annotationRange(annotation, axis);
    if (where.to < range.from || where.from > range.to) continue;
    const x = Math.max(-1, toPixel(range, width, where.from));
    const right = Math.min(width + 1, toPixel(range, width, where.to));
    const mark = {
      x,
      width: Math.max(NARROW, right - x),
      depth: annotation.depth,
      count: 1,
      first: annotation,
      last: annotation,
    };
    const before = open.get(annotation.depth);
    const merged = before === undefined ? null : merge(before, mark);
    if (merged === null) {
      if (before !== undefined) marks.push(before);
      open.set(annotation.depth, mark);
    } else {
      open.set(annotation.depth, merged);
    }
  }
  return [...marks, ...open.values()].sort((one, other) => one.depth - other.depth || one.x - other.x);
}

function merge(before: AnnotationMark, mark: AnnotationMark): AnnotationMark | null {
  const isNarrow = mark.width <= NARROW && (before.count > 1 || before.width <= NARROW);
  if (!isNarrow || mark.x > before.x + before.width + NARROW) return null;
  const width = Math.max(before.width, mark.x + mark.width - before.x);
  return { ...before, width, count: before.count + 1, last: mark.last };
}

/** Events on the marker lane: one, or several of one kind that would cover each other. */
export interface MarkerMark {
  readonly kind: Marker['kind'];
  readonly x: number;
  readonly markers: readonly Marker[];
}

/** Markers of one kind nearer than this share a glyph. */
const GLYPH = 12;
/** Drawn in this order, so that what matters most lies on top. */
const ORDER: readonly Marker['kind'][] = ['flush', 'snapshot', 'peak', 'failure'];

export function markerPosition(marker: Marker, axis: AxisName): number {
  return axis === 'time' && marker.time !== null ? marker.time : marker.event;
}

export function prepareMarkers(
  markers: readonly Marker[],
  axis: AxisName,
  range: Range,
  width: number,
): MarkerMark[] {
  const marks: MarkerMark[] = [];
  for (const kind of ORDER) {
    let group: Marker[] = [];
    let x = Number.NEGATIVE_INFINITY;
    for (const marker of markers) {
      if (marker.kind !== kind) continue;
      const at = toPixel(range, width, markerPosition(marker, axis));
      if (at < -GLYPH / 2 || at > width + GLYPH / 2) continue;
      if (at - x < GLYPH) {
        group.push(marker);
        continue;
      }
      group = [marker];
      x = at;
      marks.push({ kind, x: Math.min(Math.max(at, 0), width), markers: group });
    }
  }
  return marks;
}
