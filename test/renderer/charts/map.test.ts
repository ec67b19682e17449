import { describe, expect, it } from 'vitest';
import type { MapResult, StateResult } from '../../../app/contract/engine.ts';
import { addressAxis, addressOf, foldedBytes, folder } from '../../../renderer/charts/address-axis.ts';
import { neighbourBlock, prepareInstant, rasterInstant } from '../../../renderer/charts/instant-strip.ts';
import { cellMix, mixWords, rasterMap } from '../../../renderer/charts/map-raster.ts';

const MiB = 2 ** 20;
const ranges = [
  { address: '0x7f0000000000', bytes: 4 * MiB, offset: 0 },
  { address: '0x7f8000000000', bytes: 20 * MiB, offset: 4 * MiB },
] as const;

describe('the folded address axis', () => {
  it('leaves out what was never used', () => {
    expect(foldedBytes(ranges)).toBe(24 * MiB);
    expect(foldedBytes([])).toBe(0);
  });

  it('reads addresses onto the axis and back, without rounding', () => {
    const offsetOf = folder(ranges);
    expect(offsetOf(0x7f8000000200n)).toBe(4 * MiB + 512);
    expect(addressOf(ranges, 4 * MiB + 512)).toBe('0x7f8000000200');
    expect(offsetOf(0x7f0010000000n)).toBeNull();
    expect(offsetOf(0x10n)).toBeNull();
  });

  it('keeps addresses near 2^64 exact', () => {
    const high = [{ address: '0xfffffffffff00000', bytes: MiB, offset: 0 }] as const;
    expect(addressOf(high, 513)).toBe('0xfffffffffff00201');
    expect(folder(high)(0xfffffffffff00201n)).toBe(513);
  });

  it('names its ranges and draws a line between them', () => {
    const axis = addressAxis(ranges, { from: 0, to: 24 * MiB }, 600, 'en');
    expect(axis.ranges).toEqual([
      { y: 0, address: '0x7f0000000000', hasLine: false, isNamed: true },
      { y: 100, address: '0x7f8000000000', hasLine: true, isNamed: true },
    ]);
    expect(axis.folds).toBe(1);
    expect(axis.ticks.map((tick) => tick.label)).toContain('+10 MiB');
  });

  it('puts no two names and no tick on top of each other', () => {
    const many = Array.from({ length: 300 }, (_, index) => ({
      address: `0x${(0x7f00_0000_0000 + index * 2 ** 30).toString(16)}` as `0x${string}`,
      bytes: MiB,
      offset: index * MiB,
    }));
    const named = addressAxis(many, { from: 0, to: 300 * MiB }, 600, 'en').ranges;
    expect(named.every((mark, index) => index === 0 || mark.y - (named[index - 1]?.y ?? 0) >= 33.9)).toBe(
      true,
    );
  });
});

const map: MapResult = {
  window: { axis: 'event', from: 0, to: 3, columns: 3 },
  rows: 1,
  fromOffset: 0,
  toOffset: 100,
  mapped: Uint8Array.from([0, 255, 255]),
  occupied: Uint8Array.from([0, 0, 255]),
  site: Uint16Array.from([0xffff, 0xffff, 1]),
};
const black = 0xff000000;
const white = 0xffffffff;
const colours = {
  occupancy: Uint32Array.from({ length: 256 }, (_, texel) => mixWords(black, white, texel)),
  owners: Uint32Array.from([0xff0000ff, 0xff00ff00]),
  free: white,
  unmapped: black,
  unmappedHatch: black,
};

describe('the raster of the map', () => {
  it('separates not mapped, free and occupied', () => {
    expect([...rasterMap(map, 'owner', colours, null)]).toEqual([black, white, 0xff00ff00]);
    expect([...rasterMap(map, 'occupancy', colours, null)]).toEqual([black, black, white]);
  });

  it('mixes a cell by area', () => {
    const half: MapResult = {
      ...map,
      mapped: Uint8Array.from([0, 128, 255]),
      occupied: Uint8Array.from([0, 128, 51]),
    };
    const [, partly, fifth] = rasterMap(half, 'occupancy', colours, null);
    expect(partly).toBe(mixWords(black, white, 128));
    expect(fifth).toBe(colours.occupancy[51]);
  });

  it('says in shares what a cell holds', () => {
    const mix = cellMix(
      { ...map, mapped: Uint8Array.from([0, 204, 255]), occupied: Uint8Array.from([0, 51, 255]) },
      1,
      0,
    );
    expect(mix?.occupied).toBeCloseTo(0.2, 6);
    expect(mix?.free).toBeCloseTo(0.6, 6);
    expect(mix?.unmapped).toBeCloseTo(0.2, 6);
    expect(cellMix(map, 3, 0)).toBeNull();
  });
});

describe('the strip at the cursor', () => {
  const state: StateResult = {
    event: 7,
    segmentAddress: BigUint64Array.from([0x7f0000000000n, 0x7f8000000000n]),
    segmentBytes: Float64Array.from([4 * MiB, 20 * MiB]),
    segmentActive: Float64Array.from([MiB, 10 * MiB]),
    segmentLargestFree: Float64Array.from([3 * MiB, 10 * MiB]),
    segmentRow: Uint32Array.from([0, 1]),
    segmentRegion: Uint8Array.from([1, 1]),
    segmentFirstBlock: Uint32Array.from([0, 1, 2]),
    blockRow: Uint32Array.from([31, 42]),
    blockOffset: Float64Array.from([0, 10 * MiB]),
    blockBytes: Float64Array.from([MiB, 10 * MiB]),
    blockPending: Uint8Array.from([0, 0]),
    blockSite: Uint16Array.from([0, 1]),
  };
  const marks = prepareInstant(state, 'pooled', folder(ranges));

  it('lies on the same folded axis as the map', () => {
    expect([...marks.blockFrom]).toEqual([0, 14 * MiB]);
    expect(marks.segments.map((segment) => [segment.from, segment.to])).toEqual([
      [0, 4 * MiB],
      [4 * MiB, 24 * MiB],
    ]);
  });

  it('holds nothing of other regions', () => {
    expect(prepareInstant(state, 'virtual', folder(ranges)).segments).toEqual([]);
  });

  it('paints blocks in the colour of their owner and holes free', () => {
    const view = { from: 0, to: 24 * MiB };
    const rows = rasterInstant(marks, state, view, 1, 24, 'owner', colours, null);
    expect(rows[0]).toBe(0xff0000ff);
    expect(rows[1]).toBe(white);
    expect(rows[13]).toBe(white);
    expect(rows[14]).toBe(0xff00ff00);
    expect(rows[23]).toBe(0xff00ff00);
  });

  it('walks from block to block by address and stops at the ends', () => {
    expect(neighbourBlock(marks, state, 31, 1)).toBe(42);
    expect(neighbourBlock(marks, state, 42, 1)).toBe(42);
    expect(neighbourBlock(marks, state, 42, -1)).toBe(31);
    expect(neighbourBlock(marks, state, null, 1)).toBe(31);
    expect(neighbourBlock(marks, state, 999, -1)).toBe(42);
  });
});
