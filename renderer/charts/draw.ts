import type { Picture } from './canvas.tsx';
import type { Area, Path } from './series-path.ts';

/** The few ways in which marks reach a canvas. */
export type Fill = string | CanvasPattern;

function follow(surface: CanvasRenderingContext2D, path: Path): void {
  for (let at = 0; at < path.length; at += 2) surface.lineTo(path[at] as number, path[at + 1] as number);
}

function followBack(surface: CanvasRenderingContext2D, path: Path): void {
  for (let at = path.length - 2; at >= 0; at -= 2) surface.lineTo(path[at] as number, path[at + 1] as number);
}

/** The surface under a path, down to `bottom`. */
export function fillUnder(surface: CanvasRenderingContext2D, path: Path, bottom: number, fill: Fill): void {
  if (path.length === 0) return;
  surface.beginPath();
  surface.moveTo(path[0] as number, bottom);
  follow(surface, path);
  surface.lineTo(path[path.length - 2] as number, bottom);
  surface.fillStyle = fill;
  surface.fill();
}

export function fillBetween(surface: CanvasRenderingContext2D, area: Area, fill: Fill): void {
  if (area.upper.length === 0) return;
  surface.beginPath();
  follow(surface, area.upper);
  followBack(surface, area.lower);
  surface.closePath();
  surface.fillStyle = fill;
  surface.fill();
}

export function strokePath(
  surface: CanvasRenderingContext2D,
  path: Path,
  colour: string,
  width: number,
  dash: readonly number[] = [],
): void {
  surface.beginPath();
  follow(surface, path);
  surface.strokeStyle = colour;
  surface.lineWidth = width;
  surface.lineJoin = 'miter'; // staircases have thousands of corners, and round ones cost an arc each
  surface.setLineDash([...dash]);
  surface.stroke();
  surface.setLineDash([]);
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
