/**
 * The patterns of the design, each with one meaning: free (returnable), unmapped, unknown between bounds, and the
 * texture of a region. Drawn at the resolution of the screen.
 */
export type PatternName = 'free' | 'unknown' | 'dots' | 'diagonal';

export interface PatternColours {
  readonly paper: string | null;
  readonly ink: string;
}

/** Side of the repeating tile in CSS pixels. */
const TILE: Readonly<Record<PatternName, number>> = { free: 6, unknown: 8, dots: 5, diagonal: 6 };

/** Patterns belong to no surface, so each is made once; a theme has a handful. */
const made = new Map<string, CanvasPattern | string>();

/** A pattern as words of ImageData, row by row, at the resolution of the screen. */
export interface Tile {
  readonly words: Int32Array;
  readonly side: number;
}

const tiles = new WeakMap<CanvasPattern, Tile>();

/** For what is drawn pixel by pixel; null for a pattern that is not from here. */
export function tilePixels(from: CanvasPattern): Tile | null {
  return tiles.get(from) ?? null;
}

export function pattern(name: PatternName, colours: PatternColours, ratio: number): CanvasPattern | string {
  const key = `${name} ${colours.paper} ${colours.ink} ${ratio}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const fresh = makePattern(name, colours, ratio);
  made.set(key, fresh);
  return fresh;
}

function makePattern(name: PatternName, colours: PatternColours, ratio: number): CanvasPattern | string {
  const side = Math.round(TILE[name] * ratio);
  const tile = document.createElement('canvas');
  tile.width = side;
  tile.height = side;
  const ink = tile.getContext('2d', { willReadFrequently: true });
  if (ink === null) return colours.ink;
  if (colours.paper !== null) {
    ink.fillStyle = colours.paper;
    ink.fillRect(0, 0, side, side);
  }
  drawTile(ink, name, side, colours.ink, ratio);
  const repeated = ink.createPattern(tile, 'repeat');
  if (repeated === null) return colours.ink;
  repeated.setTransform(new DOMMatrix().scale(1 / ratio));
  tiles.set(repeated, { words: new Int32Array(ink.getImageData(0, 0, side, side).data.buffer), side });
  return repeated;
}

function drawTile(
  ink: CanvasRenderingContext2D,
  name: PatternName,
  side: number,
  colour: string,
  ratio: number,
): void {
  ink.strokeStyle = colour;
  ink.fillStyle = colour;
  ink.lineWidth = name === 'diagonal' ? 1.6 * ratio : ratio;
  ink.beginPath();
  if (name === 'dots') {
    ink.arc(side / 2, side / 2, ratio, 0, 2 * Math.PI);
    ink.fill();
    return;
  }
  if (name === 'unknown') {
    ink.moveTo(0, side / 4);
    ink.lineTo(side / 2, side / 4);
    ink.moveTo(side / 2, (side * 3) / 4);
    ink.lineTo(side, (side * 3) / 4);
  } else {
    // one diagonal and the two corners it would leave out at the seams
    for (const shift of [-side, 0, side]) {
      ink.moveTo(shift - 1, side + 1);
      ink.lineTo(shift + side + 1, -1);
    }
  }
  ink.stroke();
}
