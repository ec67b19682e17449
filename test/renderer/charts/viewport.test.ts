import { describe, expect, it } from 'vitest';
import { columnAt, columnScale, windowFor } from '../../../renderer/charts/columns.ts';
import {
  clampInto,
  panBy,
  span,
  toPixel,
  toValue,
  wheelFactor,
  windowAround,
  zoomAt,
} from '../../../renderer/charts/viewport.ts';

const full = { from: 0, to: 1000 };

describe('the visible window', () => {
  it('keeps the value under the pointer where it is while zooming', () => {
    const range = { from: 200, to: 600 };
    const zoomed = zoomAt(range, 300, 0.5, full, 4);
    expect(toPixel(zoomed, 800, 300)).toBeCloseTo(toPixel(range, 800, 300), 9);
    expect(span(zoomed)).toBe(200);
  });

  it('never leaves the trace and never gets longer than it', () => {
    expect(zoomAt({ from: 0, to: 900 }, 900, 4, full, 4)).toEqual(full);
    expect(panBy({ from: 100, to: 300 }, -500, full)).toEqual({ from: 0, to: 200 });
    expect(panBy({ from: 700, to: 900 }, 500, full)).toEqual({ from: 800, to: 1000 });
    expect(clampInto({ from: -50, to: 2000 }, full)).toEqual(full);
  });

  it('stops zooming at the smallest length', () => {
    expect(span(zoomAt({ from: 10, to: 15 }, 12, 0.01, full, 4))).toBe(4);
  });

  it('gives a thing a little air at both sides', () => {
    expect(windowAround({ from: 400, to: 500 }, full, 4)).toEqual({ from: 390, to: 510 });
    expect(span(windowAround({ from: 400, to: 400 }, full, 10))).toBe(10);
  });

  it('reads pixels back into the values they came from', () => {
    const range = { from: 123, to: 457 };
    for (const value of [123, 200.5, 457]) {
      expect(toValue(range, 777, toPixel(range, 777, value))).toBeCloseTo(value, 9);
    }
  });

  it('treats a wheel notch as a small step, in and out the same', () => {
    expect(wheelFactor(100, 0)).toBeGreaterThan(1);
    expect(wheelFactor(100, 0) * wheelFactor(-100, 0)).toBeCloseTo(1, 12);
    expect(wheelFactor(3, 1)).toBeCloseTo(wheelFactor(99, 0), 12);
  });
});

describe('the window that is asked for', () => {
  it('has one column a device pixel and lays them out from the left edge of what is visible', () => {
    const range = { from: 400, to: 600 };
    const window = windowFor('event', range, full, 100, 2);
    const scale = columnScale(window, range, 100);
    expect(scale.width).toBeCloseTo(0.5, 9);
    expect((scale.left / scale.width) % 1).toBeCloseTo(0, 9);
    expect(scale.end - scale.first).toBe(200);
    expect(window.columns).toBe(300);
  });

  it('asks for nothing before the first or behind the last event', () => {
    const window = windowFor('event', full, full, 500, 1);
    expect(window).toEqual({ axis: 'event', from: 0, to: 1000, columns: 500 });
  });

  it('never asks for more columns than the engine answers', () => {
    expect(windowFor('time', { from: 400, to: 600 }, full, 20000, 2).columns).toBeLessThanOrEqual(16384);
  });

  it('finds the columns of an older answer under a newer range', () => {
    const window = windowFor('event', full, full, 500, 1);
    const scale = columnScale(window, { from: 500, to: 750 }, 500);
    expect(scale.width).toBeCloseTo(4, 9);
    expect(scale.first).toBe(250);
    expect(scale.end).toBe(375);
    expect(columnAt(scale, 0)).toBe(250);
    expect(columnAt(scale, 499.9)).toBe(374);
  });

  it('knows nothing outside of the answer', () => {
    const window = { axis: 'event', from: 100, to: 200, columns: 100 } as const;
    const scale = columnScale(window, { from: 150, to: 250 }, 100);
    expect(columnAt(scale, 49)).toBe(99);
    expect(columnAt(scale, 51)).toBeNull();
  });
});
