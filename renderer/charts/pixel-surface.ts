import type { Draw } from './canvas.tsx';
import { type Tile, tilePixels } from './patterns.ts';

/** The part of a canvas that marks need; its unit is the CSS pixel. */
export interface MarkSurface
  extends Pick<CanvasRenderingContext2D, 'fillStyle' | 'globalAlpha' | 'fillRect'> {
  /** `a` device pixels make a CSS pixel. */
  getTransform(): { readonly a: number };
}

/** What is filled with, in words of ImageData (0xAABBGGRR): one colour, or a square that repeats, row by row. */
export type Ink = number | Tile;

/** Longer stretches of a column are filled by the runtime, shorter ones in place. */
const LONG = 48;
/** Every second channel of a word: two are reckoned with at once. */
const PAIR = 0xff00ff;
/** The alpha of a pair. */
const OPAQUE = 0xff0000;
/** Strengths are counted in so many steps. */
const WHOLE = 256;

/**
 * A canvas in memory that only fills rectangles. On a busy lane every pixel column differs, and thousands of rectangles
 * a pixel wide cost a canvas more than a frame has; here pixels lie column by column, so that each rectangle is a short
 * stretch of memory. An edge within a pixel covers it in part, as on a canvas.
 */
export class PixelSurface implements MarkSurface {
  globalAlpha = 1;
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
  private readonly inkOf: (style: MarkSurface['fillStyle']) => Ink;
  /** Words of ImageData, row by row, as `finish` left them. */
  readonly rows: Int32Array<ArrayBuffer>;
  private readonly columns: Int32Array;
  private style: MarkSurface['fillStyle'] = '';
  private colour = 0;
  private tile: Int32Array | null = null;
  private side = 1;

  /** Width and height in device pixels, of which `ratio` make a CSS pixel. */
  constructor(width: number, height: number, ratio: number, inkOf: (style: MarkSurface['fillStyle']) => Ink) {
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    this.inkOf = inkOf;
    this.rows = new Int32Array(width * height);
    this.columns = new Int32Array(width * height);
  }

  get fillStyle(): MarkSurface['fillStyle'] {
    return this.style;
  }

  set fillStyle(style) {
    if (style === this.style) return;
    this.style = style;
    const ink = this.inkOf(style);
    this.colour = typeof ink === 'number' ? ink : 0;
    this.tile = typeof ink === 'number' ? null : ink.words;
    this.side = typeof ink === 'number' ? 1 : ink.side;
  }

  getTransform(): { readonly a: number } {
    return { a: this.ratio };
  }

  clear(): void {
    this.columns.fill(0);
    this.style = '';
    this.globalAlpha = 1;
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    const { ratio } = this;
    const left = Math.max(0, Math.min(x, x + width) * ratio);
    const right = Math.min(this.width, Math.max(x, x + width) * ratio);
    const top = Math.max(0, Math.min(y, y + height) * ratio);
    const bottom = Math.min(this.height, Math.max(y, y + height) * ratio);
    if (!(bottom > top)) return;
    const first = Math.ceil(top);
    const end = Math.floor(bottom);
    const isWithinRow = first > end;
    const above = isWithinRow ? bottom - top : first - top;
    const below = isWithinRow ? 0 : bottom - end;
    for (let column = Math.floor(left); column < right; column++) {
      const strength = WHOLE * this.globalAlpha * (Math.min(column + 1, right) - Math.max(column, left));
      if (above > 0) this.fill(column, first - 1, first, Math.round(above * strength));
      if (end > first) this.fill(column, first, end, Math.round(strength));
      if (below > 0) this.fill(column, end, end + 1, Math.round(below * strength));
    }
  }

  /** Whole pixels of a column, `strength` from 0 to 256. */
  private fill(column: number, from: number, to: number, strength: number): void {
    const start = column * this.height;
    if (this.tile !== null) this.fillTile(this.tile, column, from, to, strength);
    else if (strength < WHOLE || this.colour >>> 24 < 255) {
      blend(this.columns, start + from, start + to, this.colour, strength);
    } else if (to - from > LONG) this.columns.fill(this.colour, start + from, start + to);
    else {
      const { columns, colour } = this;
      for (let at = start + from; at < start + to; at++) columns[at] = colour;
    }
  }

  private fillTile(tile: Int32Array, column: number, from: number, to: number, strength: number): void {
    const { columns, side } = this;
    const start = column * this.height;
    let cell = (from % side) * side + (column % side);
    for (let row = from; row < to; row++) {
      const word = tile[cell] as number;
      if (word !== 0) blend(columns, start + row, start + row + 1, word, strength);
      cell += side;
      if (cell >= tile.length) cell -= tile.length;
    }
  }

  /** Turns the columns into rows, four at a time. */
  finish(): void {
    const { columns, rows, width, height } = this;
    const even = width - (width % 4);
    for (let column = 0; column < even; column += 4) {
      let to = column;
      const end = (column + 1) * height;
      for (let from = column * height; from < end; from++) {
        rows[to] = columns[from] as number;
        rows[to + 1] = columns[from + height] as number;
        rows[to + 2] = columns[from + 2 * height] as number;
        rows[to + 3] = columns[from + 3 * height] as number;
        to += width;
      }
    }
    for (let column = even; column < width; column++) {
      for (let row = 0; row < height; row++) {
        rows[row * width + column] = columns[column * height + row] as number;
      }
    }
  }
}

/** Lays a colour over pixels, `strength` from 0 to 256. Nothing is premultiplied. */
function blend(pixels: Int32Array, from: number, to: number, colour: number, strength: number): void {
  const alpha = ((colour >>> 24) * strength + WHOLE / 2) >>> 8;
  if (alpha === 0) return;
  const weight = alpha + (alpha >>> 7);
  const redBlue = Math.imul(colour & PAIR, weight);
  const greenAlpha = Math.imul(((colour >>> 8) & 0xff) | OPAQUE, weight);
  const kept = WHOLE - weight;
  for (let at = from; at < to; at++) {
    const under = pixels[at] as number;
    if (under >>> 24 === 255) {
      const lower = (redBlue + Math.imul(under & PAIR, kept)) >>> 8;
      const upper = greenAlpha + Math.imul((under >>> 8) & PAIR, kept);
      pixels[at] = (lower & PAIR) | (upper & ~PAIR);
    } else if (under === 0) pixels[at] = (colour & 0xffffff) | (alpha << 24);
    else pixels[at] = overTranslucent(under, colour, alpha);
  }
}

function overTranslucent(under: number, over: number, alpha: number): number {
  const sum = alpha + ((((under >>> 24) * (255 - alpha)) / 255 + 0.5) | 0);
  const share = ((alpha / sum) * WHOLE + 0.5) | 0;
  const kept = WHOLE - share;
  const redBlue = (Math.imul(over & PAIR, share) + Math.imul(under & PAIR, kept)) >>> 8;
  const green = Math.imul((over >>> 8) & 0xff, share) + Math.imul((under >>> 8) & 0xff, kept);
  return (sum << 24) | (redBlue & PAIR) | (green & 0xff00);
}

/** Up to so many steps a canvas draws sooner than their pixels are made: measured, not critical. */
const FEW = 1000;

/** Draws marks of so many steps, in all of their paths: few on the canvas itself, many in memory and put there at once. */
export function drawSteps(steps: number, draw: (surface: MarkSurface, ratio: number) => void): Draw {
  return (target, ratio) => {
    if (steps <= FEW) {
      draw(target, ratio);
      return;
    }
    const { surface, image } = memoryOf(target, ratio);
    surface.clear();
    draw(surface, ratio);
    surface.finish();
    target.putImageData(image, 0, 0);
  };
}

interface Memory {
  readonly surface: PixelSurface;
  readonly image: ImageData;
}

/** The pixels of each canvas, used again as long as it keeps its size. */
const memories = new WeakMap<CanvasRenderingContext2D, Memory>();

function memoryOf(target: CanvasRenderingContext2D, ratio: number): Memory {
  const { width, height } = target.canvas;
  const known = memories.get(target);
  const isFitting =
    known?.surface.width === width && known.surface.height === height && known.surface.ratio === ratio;
  if (isFitting) return known;
  const surface = new PixelSurface(width, height, ratio, (style) => inkOn(target, style));
  const image = new ImageData(new Uint8ClampedArray(surface.rows.buffer), width, height);
  memories.set(target, { surface, image });
  return { surface, image };
}

function inkOn(target: CanvasRenderingContext2D, style: MarkSurface['fillStyle']): Ink {
  const tile = style instanceof CanvasPattern ? tilePixels(style) : null;
  return tile ?? wordOf(target, typeof style === 'string' ? style : '#808080');
}

/** The canvas itself reads the colour: names of forced colours mean what they mean where it stands. */
function wordOf(target: CanvasRenderingContext2D, css: string): number {
  target.fillStyle = css;
  const read = String(target.fillStyle);
  if (read.startsWith('#')) {
    return wordFrom([1, 3, 5].map((at) => Number.parseInt(read.slice(at, at + 2), 16)));
  }
  return wordFrom((read.match(/[\d.]+/g) ?? []).map(Number));
}

function wordFrom([red = 128, green = 128, blue = 128, alpha = 1]: readonly number[]): number {
  return (Math.round(alpha * 255) << 24) | (blue << 16) | (green << 8) | red;
}
