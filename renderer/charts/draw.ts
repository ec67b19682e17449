import type { Picture } from './canvas.tsx';
import type { Area, Path } from './series-path.ts';

/** The few ways in which marks reach a canvas. */
export type Fill = string | CanvasPattern;

/**
 * Step paths are drawn as rectangles, one or two a step: a busy trace has thousands of corners, and rasterising paths
 * of so many edges costs far more than a frame has.
 */
export function fillUnder(surface: CanvasRenderingContext2D, path: Path, bottom: number, fill: Fill): void {
  const snap = snapTo(surface);
  surface.fillStyle = fill;
  for (let from = 0; from < path.length; from += GROUP) {
    const end = Math.min(path.length, from + GROUP);
    const base = Math.min(bottom, lowestOf(path, from, end, surface.getTransform().a));
    for (let at = from; at < end; at += 4) {
      const y = path[at + 1] as number;
      const left = snap(path[at] as number);
      if (y < base) surface.fillRect(left, y, snap(path[at + 2] as number) - left, base - y);
    }
    const left = snap(path[from] as number);
    surface.fillRect(left, base, snap(path[end - 2] as number) - left, bottom - base);
  }
}

/**
 * So many numbers of a path, four a step, share one rectangle for what lies under all of them: narrow and tall
 * rectangles are the dear ones, because they touch a row of memory for each pixel.
 */
const GROUP = 4 * 32;

/** The whole device pixel at or under the lowest step, so that rectangles above and below it meet without a seam. */
function lowestOf(path: Path, from: number, end: number, ratio: number): number {
  let lowest = 0;
  for (let at = from; at < end; at += 4) lowest = Math.max(lowest, path[at + 1] as number);
  return Math.ceil(lowest * ratio) / ratio;
}

/** The area between two step paths over the same stretch. */
export function fillBetween(surface: CanvasRenderingContext2D, area: Area, fill: Fill): void {
  if (area.lower.length === 0) return;
  const { a: ratio } = surface.getTransform();
  const pieces = piecesOf(area, snapTo(surface));
  surface.fillStyle = fill;
  for (let from = 0; from < pieces.length; from += GROUP) {
    const end = Math.min(pieces.length, from + GROUP);
    const core = coreOf(pieces, from, end, ratio);
    for (let at = from; at < end; at += 4) {
      const left = pieces[at] as number;
      const width = (pieces[at + 1] as number) - left;
      const top = pieces[at + 2] as number;
      const bottom = pieces[at + 3] as number;
      if (core === null) surface.fillRect(left, top, width, bottom - top);
      else {
        if (top < core.top) surface.fillRect(left, top, width, core.top - top);
        if (bottom > core.bottom) surface.fillRect(left, core.bottom, width, bottom - core.bottom);
      }
    }
    if (core === null) continue;
    const left = pieces[from] as number;
    surface.fillRect(left, core.top, (pieces[end - 3] as number) - left, core.bottom - core.top);
  }
}

/** Rectangles between two paths, each as left, right, top and bottom; the paths step at places of their own. */
function piecesOf({ upper, lower }: Area, snap: (x: number) => number): Float64Array {
  const pieces = new Float64Array(upper.length + lower.length);
  const lastStep = lower.length - 4;
  let low = 0;
  let used = 0;
  for (let at = 0; at < upper.length; at += 4) {
    const top = upper[at + 1] as number;
    const end = upper[at + 2] as number;
    for (let left = upper[at] as number; left < end; ) {
      while (low < lastStep && (lower[low + 2] as number) <= left) low += 4;
      const right = low < lastStep ? Math.min(end, lower[low + 2] as number) : end;
      pieces[used] = snap(left);
      pieces[used + 1] = snap(right);
      pieces[used + 2] = top;
      pieces[used + 3] = lower[low + 1] as number;
      used += 4;
      left = right;
    }
  }
  return pieces.subarray(0, used);
}

/** The rows of whole device pixels that lie within all pieces of a group; null when they are not worth a rectangle. */
function coreOf(
  pieces: Float64Array,
  from: number,
  end: number,
  ratio: number,
): { readonly top: number; readonly bottom: number } | null {
  let top = Number.NEGATIVE_INFINITY;
  let bottom = Number.POSITIVE_INFINITY;
  for (let at = from; at < end; at += 4) {
    top = Math.max(top, pieces[at + 2] as number);
    bottom = Math.min(bottom, pieces[at + 3] as number);
  }
  top = Math.ceil(top * ratio) / ratio;
  bottom = Math.floor(bottom * ratio) / ratio;
  return bottom - top < LEAST_CORE ? null : { top, bottom };
}

/** In pixels. */
const LEAST_CORE = 3;

/** A line along a step path; dashes count from the left edge of the lane, so that they stand still while values change. */
export function strokeSteps(
  surface: CanvasRenderingContext2D,
  path: Path,
  colour: string,
  width: number,
  dash: Dash | null = null,
): void {
  surface.fillStyle = colour;
  const half = width / 2;
  let before = path[1] as number;
  for (let at = 0; at < path.length; at += 4) {
    const left = path[at] as number;
    const right = path[at + 2] as number;
    const y = path[at + 1] as number;
    const rise = Math.abs(y - before);
    if (rise > 0 && isOn(dash, left)) {
      surface.fillRect(left - half, Math.min(y, before) - half, width, rise + width);
    }
    // rises at both ends of a narrow step cover it
    const isCovered =
      right - left <= width && at > 0 && at + 4 < path.length && isOn(dash, left) && isOn(dash, right);
    if (isCovered) {
      before = y;
      continue;
    }
    if (dash === null) surface.fillRect(left, y - half, right - left, width);
    else dashAlong(surface, left, right, y - half, width, dash);
    before = y;
  }
}

/** Pixels drawn, then pixels left out, again and again. */
export type Dash = readonly [on: number, off: number];

function isOn(dash: Dash | null, x: number): boolean {
  return dash === null || x % (dash[0] + dash[1]) < dash[0];
}

function dashAlong(
  surface: CanvasRenderingContext2D,
  left: number,
  right: number,
  top: number,
  width: number,
  [on, off]: Dash,
): void {
  const period = on + off;
  for (let start = Math.floor(left / period) * period; start < right; start += period) {
    const from = Math.max(left, start);
    const to = Math.min(right, start + on);
    if (to > from) surface.fillRect(from, top, to - from, width);
  }
}

/** Rounds to whole device pixels, so that neighbouring rectangles meet without a seam. */
function snapTo(surface: CanvasRenderingContext2D): (x: number) => number {
  const ratio = surface.getTransform().a;
  return (x) => Math.round(x * ratio) / ratio;
}

/** Vertical lines of the time axis, behind the marks. */
export function drawGrid(
  surface: CanvasRenderingContext2D,
  xs: readonly number[],
  height: number,
  colour: string,
): void {
  surface.fillStyle = colour;
  for (const x of xs) surface.fillRect(Math.round(x), 0, 1, height);
}

/** Horizontal lines of the value axis, above the marks and faint enough to leave them be. */
export function drawLevels(
  surface: CanvasRenderingContext2D,
  ys: readonly number[],
  width: number,
  ink: string,
): void {
  surface.fillStyle = ink;
  surface.globalAlpha = 0.1;
  for (const y of ys) surface.fillRect(0, Math.round(y), width, 1);
  surface.globalAlpha = 1;
}

/** A picture stretched over a rectangle, pixel edges kept. */
export function drawPicture(
  surface: CanvasRenderingContext2D,
  picture: Picture,
  left: number,
  top: number,
  width: number,
  height: number,
): void {
  surface.imageSmoothingEnabled = false;
  surface.drawImage(picture.image, left, top, width, height);
}
