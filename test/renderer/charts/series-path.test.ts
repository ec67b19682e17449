import { describe, expect, it } from 'vitest';
import {
  freeOf,
  prepareBounds,
  prepareRegion,
  stepPath,
  valueScale,
} from '../../../renderer/charts/series-path.ts';
import { seeded, steady } from './live-data.ts';

const columns = { left: 0, width: 10, first: 0, end: 4 };
const scale = valueScale(100, 10, 0);

describe('a step path', () => {
  it('steps at the edges of columns and merges equal neighbours', () => {
    expect([...stepPath([2, 2, 5, 5], columns, scale)]).toEqual([0, 80, 20, 80, 20, 50, 40, 50]);
  });

  it('draws only what can be seen', () => {
    expect([...stepPath([9, 1, 2, 9], { left: -10, width: 10, first: 1, end: 3 }, scale)]).toEqual([
      0, 90, 10, 90, 10, 80, 20, 80,
    ]);
  });

  it('reaches the largest value of the window, whatever the columns', () => {
    const seed = 20240611;
    const next = seeded(seed);
    for (let round = 0; round < 50; round++) {
      const values = Array.from({ length: 1 + next(400) }, () => next(1000));
      const path = stepPath(
        values,
        { left: 0, width: 1, first: 0, end: values.length },
        valueScale(500, 1000, 0),
      );
      const heights = path.filter((_, index) => index % 2 === 1);
      expect(Math.min(...heights), `seed ${seed}`).toBe(500 - Math.max(...values) / 2);
    }
  });
});

describe('a region lane', () => {
  it('shows the most of each column and, lighter, down to the least', () => {
    const varied = {
      min: Float64Array.from([1, 1, 1, 1]),
      max: Float64Array.from([8, 8, 8, 8]),
      last: Float64Array.from([1, 1, 1, 1]),
    };
    const marks = prepareRegion(
      { reserved: steady([9, 9, 9, 9]), active: varied, allocated: varied, requested: varied },
      columns,
      scale,
    );
    expect(marks.activeVaried.upper[1]).toBe(20);
    expect(marks.active[1]).toBe(90);
    expect(marks.reserved.upper[1]).toBe(10);
    expect(marks.reservedVaried).toBeNull();
    expect(marks.pending).toBeNull();
  });

  it('shows what waits for a stream above what is allocated', () => {
    const marks = prepareRegion(
      {
        reserved: steady([9, 9, 9, 9]),
        active: steady([6, 6, 6, 6]),
        allocated: steady([6, 4, 4, 6]),
        requested: steady([3, 3, 3, 3]),
      },
      columns,
      scale,
    );
    expect([...(marks.pending?.lower ?? [])]).toEqual([0, 40, 10, 40, 10, 60, 30, 60, 30, 40, 40, 40]);
  });

  it('draws bounds where a capture ends too early', () => {
    const marks = prepareBounds(steady([1, 2, 3, 4]), 5, columns, scale);
    expect(marks.atLeast[1]).toBe(90);
    expect(marks.atMost[1]).toBe(40);
  });
});

describe('free bytes', () => {
  it('keep what a column held at most beside what it held at its end', () => {
    const reserved = { min: Float64Array.of(10), max: Float64Array.of(30), last: Float64Array.of(10) };
    const { most, last } = freeOf({ reserved, active: steady([8]) });
    expect([most[0], last[0]]).toEqual([22, 2]);
  });
});
