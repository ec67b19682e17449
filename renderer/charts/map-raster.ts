import type { MapResult } from '../../app/contract/engine.ts';

/** What a pixel of the map means. */
export type MapMode = 'occupancy' | 'owner';

/** Words of ImageData (0xAABBGGRR). */
export interface MapColours {
  /** 256 texels from wholly free to wholly occupied. */
  readonly occupancy: Uint32Array;
  /** By rank of the call site, the last one "other". */
  readonly owners: Uint32Array;
  /** Mapped and free, in owner mode. */
  readonly free: number;
  readonly unmapped: number;
  /** The sparse hatch on what is not mapped. */
  readonly unmappedHatch: number;
}

/** Every how many pixels a line of the hatch comes back. */
const HATCH = 8;
/** What is left of the colour of call sites that are not emphasised. */
const FADED = 0.35;
export const NO_SITE = 0xffff;

/**
 * One pixel a cell, lowest address at the top. A cell mixes by area: occupied towards free by the share of its mapped
 * part, then towards "not mapped" by the share that is not.
 */
export function rasterMap(
  data: MapResult,
  mode: MapMode,
  colours: MapColours,
  emphasised: number | null,
): Uint32Array {
  const width = data.window.columns;
  const pixels = new Uint32Array(width * data.rows);
  for (let row = 0; row < data.rows; row++) {
    for (let column = 0; column < width; column++) {
      const at = row * width + column;
      const mapped = data.mapped[at] as number;
      if (mapped === 255) {
        const site = data.site[at] as number;
        pixels[at] = cellColour(mode, data.occupied[at] as number, site, colours, emphasised);
        continue;
      }
      const empty = (column + row) % HATCH === 0 ? colours.unmappedHatch : colours.unmapped;
      if (mapped === 0) {
        pixels[at] = empty;
        continue;
      }
      const share = Math.min(255, Math.round(((data.occupied[at] as number) * 255) / mapped));
      const used = cellColour(mode, share, data.site[at] as number, colours, emphasised);
      pixels[at] = mixWords(empty, used, mapped);
    }
  }
  return pixels;
}

/** The colour of a wholly mapped cell that is occupied by `share` of 255. */
export function cellColour(
  mode: MapMode,
  share: number,
  site: number,
  colours: MapColours,
  emphasised: number | null,
): number {
  if (mode === 'occupancy') return colours.occupancy[share] as number;
  if (share === 0 || site === NO_SITE) return colours.free;
  const owner = colours.owners[Math.min(site, colours.owners.length - 1)] as number;
  const isFaded = emphasised !== null && emphasised !== site;
  return mixWords(colours.free, owner, isFaded ? Math.round(share * FADED) : share);
}

/** Mixes two opaque colours in their own space, as blending of pixels does; `share` of 255 of the second. */
export function mixWords(one: number, other: number, share: number): number {
  if (share === 0) return one;
  if (share === 255) return other;
  const rest = 255 - share;
  const high = ((one >>> 16) & 255) * rest + ((other >>> 16) & 255) * share;
  const middle = ((one >>> 8) & 255) * rest + ((other >>> 8) & 255) * share;
  const low = (one & 255) * rest + (other & 255) * share;
  return (0xff000000 | (byteOf(high) << 16) | (byteOf(middle) << 8) | byteOf(low)) >>> 0;
}

/** A sum over 255 parts, as a byte. */
function byteOf(sum: number): number {
  return (sum / 255 + 0.5) | 0;
}

/** What one cell holds, in shares of its area. */
export interface CellMix {
  readonly occupied: number;
  readonly free: number;
  readonly unmapped: number;
  /** Rank of the site with most bytes in it, or null. */
  readonly site: number | null;
}

export function cellMix(data: MapResult, column: number, row: number): CellMix | null {
  if (column < 0 || row < 0 || column >= data.window.columns || row >= data.rows) return null;
  const at = row * data.window.columns + column;
  const mapped = (data.mapped[at] as number) / 255;
  const occupied = Math.min(mapped, (data.occupied[at] as number) / 255);
  const site = data.site[at] as number;
  return { occupied, free: mapped - occupied, unmapped: 1 - mapped, site: site === NO_SITE ? null : site };
}
