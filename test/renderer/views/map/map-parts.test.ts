import { describe, expect, it } from 'vitest';
import type { StateResult } from '../../../../app/contract/engine.ts';
import { boxZoom } from '../../../../renderer/views/map/box-zoom.ts';
import { segmentRows } from '../../../../renderer/views/map/segment-columns.ts';

describe('a box over the map', () => {
  const range = { from: 0, to: 1000 };
  const addresses = { from: 0, to: 600 };
  const box = (x0: number, y0: number, x1: number, y1: number) =>
    boxZoom({ from: { x: x0, y: y0 }, to: { x: x1, y: y1 } }, range, addresses, 500, 300);

  it('zooms both axes, whichever way it was drawn', () => {
    const zoomed = { range: { from: 200, to: 600 }, addresses: { from: 100, to: 300 } };
    expect(box(100, 50, 300, 150)).toEqual(zoomed);
    expect(box(300, 150, 100, 50)).toEqual(zoomed);
  });

  it('leaves an axis alone that was not meant', () => {
    expect(box(100, 50, 300, 53).addresses).toBeNull();
    expect(box(100, 50, 103, 150).range).toBeNull();
  });

  it('ends at the edges of the picture', () => {
    expect(box(-50, -50, 900, 900)).toEqual({ range, addresses });
  });
});

describe('segments as rows', () => {
  const state: StateResult = {
    event: 3,
    segmentAddress: BigUint64Array.from([0x1000n, 0x9000n]),
    segmentBytes: Float64Array.from([100, 50]),
    segmentActive: Float64Array.from([60, 50]),
    segmentLargestFree: Float64Array.from([20, 0]),
    segmentRow: Uint32Array.from([7, 8]),
    segmentRegion: Uint8Array.from([1, 1]),
    segmentFirstBlock: Uint32Array.from([0, 2, 3]),
    blockRow: Uint32Array.from([1, 2, 3]),
    blockOffset: Float64Array.from([10, 50, 0]),
    blockBytes: Float64Array.from([30, 30, 50]),
    blockPending: Uint8Array.from([0, 0, 0]),
    blockSite: Uint16Array.from([0, 0, 0]),
  };

  it('count the holes before, between and behind the blocks', () => {
    const rows = segmentRows(state, 1, (address) => `0x${address.toString(16)}`);
    expect(rows.map((row) => [row.address, row.blocks, row.holes])).toEqual([
      ['0x1000', 2, 3],
      ['0x9000', 1, 0],
    ]);
  });

  it('leave out other regions', () => {
    expect(segmentRows(state, 0, String)).toEqual([]);
  });
});
