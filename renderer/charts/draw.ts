import type { Picture } from './canvas.tsx';
import type { MarkSurface } from './pixel-surface.ts';
import type { Area, Path } from './series-path.ts';

/** The few ways in which marks reach a canvas. */
export type Fill = string | CanvasPattern;

/** Step paths are drawn as rectangles, one or two a step. */
export function fillUnder(surface: MarkSurface, path: Path, bottom: number, fill: Fill): void {
  const snap = snapTo(surface);
  surface.fillStyle = fill;
  for (let at = 0; at < path.length; at += 4) {
    const y = path[at + 1] as number;
    const left = snap(path[at] as number);
    surface.fillRect(left, y, snap(path[at + 2] as number) - left, bottom - y);
  }
}

/** The area between two step paths over the same stretch. */
export function fillBetween(surface: MarkSurface, { upper, lower }: Area, fill: Fill): void {
  const snap = snapTo(surface);
  surface.fillStyle = fill;
  const lastStep = lower.length - 4;
  let low = 0;
  for (let at = 0; at < upper.length && lastStep >= 0; at += 4) {
    const top = upper[at + 1] as number;
    const end = upper[at + 2] as number;
    for (let left = upper[at] as number; left < end; ) {
      while (low < lastStep && (lower[low + 2] as number) <= left) low += 4;
      const right = low < lastStep ? Math.min(end, lower[low + 2] as number) : end;
      const from = snap(left);
      surface.fillRect(from, top, snap(right) - from, (lower[low + 1] as number) - top);
      left = right;
    }
  }
}

/** A line along a step path; dashes count from the left edge of the lane, so that they stand still while values change. */
export function strokeSteps(
  surface: MarkSurface,
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
  surface: MarkSurface,
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
function snapTo(surface: MarkSurface): (x: number) => number {
  const ratio = surface.getTransform().a;
  return (x) => Math.round(x * ratio) / ratio;
}

/** Vertical lines of the time axis, behind the marks. */
export function drawGrid(surface: MarkSurface, xs: readonly number[], height: number, colour: string): void {
  surface.fillStyle = colour;
  for (const x of xs) surface.fillRect(Math.round(x), 0, 1, height);
}

/** Horizontal lines of the value axis, above the marks and faint enough to leave them be. */
export function drawLevels(surface: MarkSurface, ys: readonly number[], width: number, ink: string): void {
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
