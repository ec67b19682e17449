import { describe, expect, it } from 'vitest';
import { stepsOf } from '../../../../renderer/views/live/sampled-steps.ts';

describe('the rows of a sampled table', () => {
  it('are as far apart as samples while they are few', () => {
    expect(stepsOf({ from: 0, to: 60e9 }, 0.2e9)).toEqual({ from: 0, to: 60e9, count: 300, step: 0.2e9 });
  });

  it('are of a round length and at most two thousand', () => {
    for (const to of [1e6, 7e9, 3.6e12, 8.64e13, 1e18]) {
      const { count, step, from, to: end } = stepsOf({ from: to * 0.31, to }, 1e9 / 50);
      expect(count).toBeLessThanOrEqual(2000);
      expect([1, 2, 5]).toContain(Number(String(step)[0]));
      expect(from).toBeLessThanOrEqual(to * 0.31);
      expect(end).toBeGreaterThanOrEqual(to);
    }
  });

  it('begin at a multiple of their length, so that they stay the same while the window moves', () => {
    const { from, step } = stepsOf({ from: 12.34e9, to: 72.34e9 }, 1e9);
    expect(from).toBe(12e9);
    expect(step).toBe(1e9);
  });
});
