import { REGIONS, type RegionName, type StateResult } from '../../app/contract/engine.ts';
import type { AddressWindow } from './address-axis.ts';
import { cellColour, type MapColours, type MapMode, mixWords, NO_SITE } from './map-raster.ts';

/** Segments and blocks of one region at one moment, on its folded axis. */
export interface InstantMarks {
  /** Position in the columns of the state. */
  readonly segments: readonly { index: number; from: number; to: number }[];
  /** Blocks by address: their position in the columns of the state and their place on the axis. */
  readonly blockIndex: Uint32Array;
  readonly blockFrom: Float64Array;
  readonly blockTo: Float64Array;
}

export function prepareInstant(
  state: StateResult,
  region: RegionName,
  offsetOf: (address: bigint) => number | null,
): InstantMarks {
  const wanted = REGIONS.indexOf(region);
  const segments: { index: number; from: number; to: number }[] = [];
  const index: number[] = [];
  const from: number[] = [];
  const to: number[] = [];
  for (let segment = 0; segment < state.segmentAddress.length; segment++) {
    if (state.segmentRegion[segment] !== wanted) continue;
    const start = offsetOf(state.segmentAddress[segment] as bigint);
    if (start === null) continue;
    segments.push({ index: segment, from: start, to: start + (state.segmentBytes[segment] as number) });
    const end = state.segmentFirstBlock[segment + 1] as number;
    for (let block = state.segmentFirstBlock[segment] as number; block < end; block++) {
      const blockStart = start + (state.blockOffset[block] as number);
      index.push(block);
      from.push(blockStart);
      to.push(blockStart + (state.blockBytes[block] as number));
    }
  }
  return {
    segments,
    blockIndex: Uint32Array.from(index),
    blockFrom: Float64Array.from(from),
    blockTo: Float64Array.from(to),
  };
}

/** Every how many pixels a line of the hatch on what is not mapped comes back, as in the map. */
const HATCH = 8;

/** `width` words a pixel row, mixed by area as in the map beside it. */
export function rasterInstant(
  marks: InstantMarks,
  state: StateResult,
  view: AddressWindow,
  width: number,
  height: number,
  mode: MapMode,
  colours: MapColours,
  emphasised: number | null,
): Uint32Array {
  const perByte = height / (view.to - view.from);
  const mapped = new Float64Array(height);
  const occupied = new Float64Array(height);
  const largest = new Float64Array(height);
  const site = new Uint16Array(height).fill(NO_SITE);
  for (const segment of marks.segments) spread(segment.from, segment.to, view.from, perByte, mapped);
  for (let at = 0; at < marks.blockIndex.length; at++) {
    const owner = state.blockSite[marks.blockIndex[at] as number] as number;
    const blockFrom = marks.blockFrom[at] as number;
    spread(blockFrom, marks.blockTo[at] as number, view.from, perByte, occupied, (row, share) => {
      if (share <= (largest[row] as number)) return;
      largest[row] = share;
      site[row] = owner;
    });
  }
  const pixels = new Uint32Array(width * height);
  for (let row = 0; row < height; row++) {
    const full = Math.min(1, mapped[row] as number);
    const used = Math.min(full, occupied[row] as number);
    const share = full === 0 ? 0 : Math.round((used / full) * 255);
    const cell = cellColour(mode, share, site[row] as number, colours, emphasised);
    for (let column = 0; column < width; column++) {
      const empty = (column + row) % HATCH === 0 ? colours.unmappedHatch : colours.unmapped;
      pixels[row * width + column] = mixWords(empty, cell, Math.round(full * 255));
    }
  }
  return pixels;
}

/** Adds the share of every pixel row that [from, to) covers. */
function spread(
  from: number,
  to: number,
  base: number,
  perByte: number,
  rows: Float64Array,
  visit?: (row: number, share: number) => void,
): void {
  const top = Math.max(0, (from - base) * perByte);
  const bottom = Math.min(rows.length, (to - base) * perByte);
  for (let row = Math.floor(top); row < bottom; row++) {
    const share = Math.min(row + 1, bottom) - Math.max(row, top);
    rows[row] = (rows[row] as number) + share;
    visit?.(row, share);
  }
}

/** The block next to one on the axis, `step` positions away; from nothing, the first or last visible one. */
export function neighbourBlock(
  marks: InstantMarks,
  state: StateResult,
  selected: number | null,
  step: 1 | -1,
): number | null {
  const count = marks.blockIndex.length;
  if (count === 0) return null;
  const rowOf = (at: number) => state.blockRow[marks.blockIndex[at] as number] as number;
  const position = selected === null ? -1 : marks.blockIndex.findIndex((_, at) => rowOf(at) === selected);
  if (position < 0) return rowOf(step > 0 ? 0 : count - 1);
  return rowOf(Math.min(count - 1, Math.max(0, position + step)));
}
