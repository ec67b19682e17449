import type { LiveBlocksResult } from '../../app/contract/engine.ts';

/** No single block: an aggregate of small ones. */
export const AGGREGATE = 0xffffffff;

/** Colours as the four bytes of ImageData read as a little-endian word (0xAABBGGRR). */
export interface LiveColours {
  /** By rank of the call site; the last one is "other". */
  readonly owners: Uint32Array;
  /** The same, a little towards the surface: every second block of a site. */
  readonly ownersAlternate: Uint32Array;
  /** The line between two blocks that are tall enough. */
  readonly separators: Uint32Array;
  /** All call sites but the emphasised one. */
  readonly faded: Uint32Array;
}

/** Pixels a block must be tall to get a line of its own at its top. */
const SEPARATOR_FROM = 4;

export interface LiveRaster {
  readonly width: number;
  readonly height: number;
  /** Bytes at the top row. */
  readonly top: number;
  /** Row by row from the top; 0 is transparent. */
  readonly pixels: Uint32Array;
}

/** What a raster is made from. */
export interface LiveScene {
  readonly data: LiveBlocksResult;
  /** In pixels. */
  readonly height: number;
  /** Bytes at the top row. */
  readonly top: number;
  readonly colours: LiveColours;
  readonly emphasised: number | null;
}

/**
 * The stacked picture, one pixel column a column of the answer. Every run's edges are rounded from the sum below it,
 * so the heights of a column add up exactly and nothing is left out; what is under a pixel shares one with its neighbours.
 */
export function rasterLive(
  data: LiveBlocksResult,
  height: number,
  top: number,
  colours: LiveColours,
  emphasised: number | null,
): LiveRaster {
  const raster = emptyRaster(data.window.columns, height, top);
  rasterColumns(raster, { data, height, top, colours, emphasised }, 0, raster.width);
  return raster;
}

export function emptyRaster(width: number, height: number, top: number): LiveRaster {
  return { width, height, top, pixels: new Uint32Array(width * height) };
}

/** Fills in the columns [from, to) of an empty raster. */
export function rasterColumns(
  { pixels, width }: LiveRaster,
  { data, height, top, colours, emphasised }: LiveScene,
  from: number,
  to: number,
): void {
  const { firstRun, bytes, site: sites, block: blocks } = data;
  const perByte = top > 0 ? height / top : 0;
  for (let column = from; column < to; column++) {
    let sum = 0;
    let row = height;
    const end = firstRun[column + 1] as number;
    for (let run = firstRun[column] as number; run < end; run++) {
      sum += bytes[run] as number;
      const upper = Math.max(0, Math.round(height - sum * perByte));
      if (upper >= row) continue;
      const site = Math.min(sites[run] as number, colours.owners.length - 1);
      const isFaded = emphasised !== null && emphasised !== site;
      const isOdd = ((blocks[run] as number) & 1) === 1;
      const shades = isFaded ? colours.faded : isOdd ? colours.ownersAlternate : colours.owners;
      const shade = shades[site] as number;
      for (let y = upper; y < row; y++) pixels[y * width + column] = shade;
      if (row - upper >= SEPARATOR_FROM && !isFaded) {
        pixels[upper * width + column] = colours.separators[site] as number;
      }
      row = upper;
    }
  }
}

export interface LiveHit {
  readonly run: number;
  readonly column: number;
  /** Null for an aggregate. */
  readonly block: number | null;
  readonly site: number;
  readonly bytes: number;
  readonly blockCount: number;
}

/** The run of a column in which a height in bytes lies; null above the stack. */
export function hitLive(data: LiveBlocksResult, column: number, bytes: number): LiveHit | null {
  if (column < 0 || column >= data.window.columns || bytes < 0) return null;
  let sum = 0;
  const end = data.firstRun[column + 1] as number;
  for (let run = data.firstRun[column] as number; run < end; run++) {
    sum += data.bytes[run] as number;
    if (bytes < sum) return hitOf(data, column, run);
  }
  return null;
}

function hitOf(data: LiveBlocksResult, column: number, run: number): LiveHit {
  const block = data.block[run] as number;
  return {
    run,
    column,
    block: block === AGGREGATE ? null : block,
    site: data.site[run] as number,
    bytes: data.bytes[run] as number,
    blockCount: data.blockCount[run] as number,
  };
}

/** Active bytes of each column. */
export function liveTotals(data: LiveBlocksResult): Float64Array {
  const totals = new Float64Array(data.window.columns);
  for (let column = 0; column < totals.length; column++) {
    let sum = 0;
    const end = data.firstRun[column + 1] as number;
    for (let run = data.firstRun[column] as number; run < end; run++) sum += data.bytes[run] as number;
    totals[column] = sum;
  }
  return totals;
}
