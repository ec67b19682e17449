import { describe, expect, it } from 'vitest';
import { prepareSigned } from '../../../renderer/charts/signed-path.ts';

const columns = (count: number) => ({ left: 0, width: 10, first: 0, end: count });
const sampled = (min: readonly number[], max = min) => ({
  min: Float64Array.from(min),
  max: Float64Array.from(max),
  last: Float64Array.from(max),
});
const corners = (path: Float64Array) => Array.from(path, (value) => Math.round(value * 10) / 10);

describe('sampled bytes with gaps', () => {
  it('are drawn run by run, never across what is not known', () => {
    const marks = prepareSigned(sampled([1, 1, Number.NaN, 2]), columns(4), 110, 10);
    expect(marks.runs.map(({ line }) => corners(line))).toEqual([
      [0, 60, 20, 60],
      [30, 10, 40, 10],
    ]);
    expect(marks.zero).toBeNull();
  });

  it('keep the smallest and the largest value of a column', () => {
    const { runs } = prepareSigned(sampled([1], [2]), columns(1), 110, 10);
    expect(runs[0] && [corners(runs[0].varied.upper), corners(runs[0].varied.lower)]).toEqual([
      [0, 10, 10, 10],
      [0, 60, 10, 60],
    ]);
  });

  it('show what is below zero under a line at zero', () => {
    const { runs, zero, levels } = prepareSigned(sampled([-100, 100]), columns(2), 116, 10);
    expect(zero).toBe(60);
    expect(runs[0] && corners(runs[0].below.lower)).toEqual(
      [0, 110, 10, 110, 10, 60, 20, 60].slice(0, 4).concat([10, 60, 20, 60]),
    );
    expect(levels.map(({ number, y }) => [number, Math.round(y)])).toContainEqual(['0', 60]);
    expect(levels.some(({ number }) => number.startsWith('−'))).toBe(true);
  });

  it('are nothing where nothing is known', () => {
    expect(prepareSigned(sampled([Number.NaN]), columns(1), 100, 10)).toEqual({
      runs: [],
      levels: [],
      zero: null,
    });
  });
});
