import { describe, expect, it } from 'vitest';
import { bandsOf, placeLabels } from '../../../renderer/charts/live-labels.ts';
import {
  AGGREGATE,
  emptyRaster,
  hitLive,
  liveTotals,
  rasterColumns,
  rasterLive,
} from '../../../renderer/charts/live-raster.ts';
import { valueScale } from '../../../renderer/charts/series-path.ts';
import { liveOf, type Run, seeded } from './live-data.ts';

const colours = {
  owners: Uint32Array.from([10, 20, 30]),
  ownersAlternate: Uint32Array.from([11, 21, 31]),
  separators: Uint32Array.from([12, 22, 32]),
  faded: Uint32Array.from([13, 23, 33]),
};
const columnOf = (raster: { pixels: Uint32Array; width: number; height: number }, column: number) =>
  Array.from({ length: raster.height }, (_, row) => raster.pixels[row * raster.width + column]);

describe('the raster of live blocks', () => {
  it('stacks runs from the bottom and leaves the rest clear', () => {
    const raster = rasterLive(
      liveOf([
        [
          [2, 0, 3],
          [4, 1, 2],
        ],
      ]),
      8,
      8,
      colours,
      null,
    );
    expect(columnOf(raster, 0)).toEqual([0, 0, 0, 20, 20, 10, 10, 10]);
  });

  it('is the same when it is made in slices', () => {
    const data = liveOf([[[2, 0, 3]], [[4, 1, 2]], [[5, 2, 7]]]);
    const slices = emptyRaster(3, 8, 8);
    const scene = { data, height: 8, top: 8, colours, emphasised: null };
    rasterColumns(slices, scene, 0, 2);
    rasterColumns(slices, scene, 2, 3);
    expect(slices).toEqual(rasterLive(data, 8, 8, colours, null));
  });

  it('tells neighbouring blocks of one site apart', () => {
    const raster = rasterLive(
      liveOf([
        [
          [2, 0, 2],
          [3, 0, 2],
        ],
      ]),
      4,
      4,
      colours,
      null,
    );
    expect(columnOf(raster, 0)).toEqual([11, 11, 10, 10]);
  });

  it('closes a tall block with a line of its own', () => {
    const raster = rasterLive(liveOf([[[2, 0, 5]]]), 5, 5, colours, null);
    expect(columnOf(raster, 0)).toEqual([12, 10, 10, 10, 10]);
  });

  it('fades everything but the emphasised site', () => {
    const raster = rasterLive(
      liveOf([
        [
          [2, 0, 2],
          [4, 1, 2],
        ],
      ]),
      4,
      4,
      colours,
      1,
    );
    expect(columnOf(raster, 0)).toEqual([20, 20, 13, 13]);
  });

  it('gives a column exactly the height of its active bytes, however small the blocks', () => {
    const seed = 77;
    const next = seeded(seed);
    const stacks = Array.from({ length: 64 }, () =>
      Array.from({ length: next(300) }, (_, block): Run => [block, next(5), 1 + next(50)]),
    );
    const data = liveOf(stacks);
    const totals = liveTotals(data);
    const top = Math.max(...totals);
    const raster = rasterLive(data, 97, top, colours, null);
    for (let column = 0; column < 64; column++) {
      const filled = columnOf(raster, column).filter((pixel) => pixel !== 0).length;
      expect(filled, `seed ${seed}, column ${column}`).toBe(
        97 - Math.round(97 - ((totals[column] ?? 0) * 97) / top),
      );
    }
  });
});

describe('what lies under the pointer', () => {
  const data = liveOf([
    [[5, 0, 3]],
    [
      [5, 0, 3],
      [AGGREGATE, 2, 4, 17],
    ],
  ]);

  it('is the run of that height', () => {
    expect(hitLive(data, 1, 2.9)).toMatchObject({ block: 5, site: 0, bytes: 3 });
    expect(hitLive(data, 1, 3)).toMatchObject({ block: null, site: 2, bytes: 4, blockCount: 17 });
  });

  it('is nothing above the stack or beside the picture', () => {
    expect(hitLive(data, 0, 3)).toBeNull();
    expect(hitLive(data, 2, 0)).toBeNull();
    expect(hitLive(data, -1, 0)).toBeNull();
  });
});

describe('names of bands', () => {
  const columns = { left: 0, width: 1, first: 0, end: 400 };
  const measure = (text: string) => text.length * 6;
  const nameOf = (site: number) => ['before recording', 'einsum', 'optimizers.py:82'][site] ?? 'other';

  it('stand inside a band that is tall enough', () => {
    const data = liveOf(Array.from({ length: 400 }, () => [[0, 0, 40]] as const));
    const bands = bandsOf(data, columns, valueScale(100, 100, 0), 400);
    const [label] = placeLabels(bands, 400, nameOf, measure);
    expect(label).toMatchObject({ text: 'before recording', place: 'inside', y: 80 });
  });

  it('stand above the stack when the band is too thin', () => {
    const data = liveOf(
      Array.from(
        { length: 400 },
        () =>
          [
            [0, 0, 40],
            [1, 1, 6],
          ] as const,
      ),
    );
    const bands = bandsOf(data, columns, valueScale(100, 100, 0), 400);
    const label = placeLabels(bands, 400, nameOf, measure).find((one) => one.site === 1);
    expect(label).toMatchObject({ place: 'beside', y: 44 });
  });

  it('never cover one another', () => {
    const data = liveOf(
      Array.from(
        { length: 400 },
        () =>
          [
            [0, 0, 6],
            [1, 1, 6],
            [2, 2, 6],
          ] as const,
      ),
    );
    const bands = bandsOf(data, columns, valueScale(100, 100, 0), 400);
    const labels = placeLabels(bands, 400, nameOf, measure);
    expect(labels).toHaveLength(3);
    for (const one of labels) {
      for (const other of labels) {
        const apart =
          Math.abs(one.y - other.y) >= 14 ||
          one.x - measure(one.text) > other.x ||
          other.x - measure(other.text) > one.x;
        expect(one === other || apart).toBe(true);
      }
    }
  });

  it('are left out for what is thinner than three pixels', () => {
    const data = liveOf(
      Array.from(
        { length: 400 },
        () =>
          [
            [0, 0, 40],
            [1, 1, 2],
          ] as const,
      ),
    );
    const bands = bandsOf(data, columns, valueScale(100, 100, 0), 400);
    expect(placeLabels(bands, 400, nameOf, measure).map((label) => label.site)).toEqual([0]);
  });
});
