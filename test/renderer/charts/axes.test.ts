import { describe, expect, it } from 'vitest';
import { byteAxis, cutScale, largestVisible } from '../../../renderer/charts/lane-scale.ts';
import { labelLevels } from '../../../renderer/charts/levels.ts';
import { axisUnit, timeAxis } from '../../../renderer/charts/time-axis.ts';

const words = { locale: 'en', event: 'event' } as const;
const labels = (from: number, to: number, width = 800, axis: 'time' | 'event' = 'time') =>
  timeAxis(axis, { from, to }, width, words).ticks.map((tick) => tick.label);

describe('the time axis', () => {
  it('picks one unit and names it once', () => {
    expect(labels(0, 394e6)).toEqual(['0 ms', '50', '100', '150', '200', '250', '300', '350']);
    expect(labels(196e6, 394e6)[0]).toBe('200 ms');
    expect(labels(0, 900)[0]).toBe('0 ns');
    expect(labels(0, 9e9)[0]).toBe('0 s');
    expect(labels(0, 40 * 6e10)[0]).toBe('0 min');
  });

  it('takes a finer unit before labels need more than three decimals', () => {
    expect(axisUnit('time', { from: 393_809_000, to: 393_809_400 }, 8)).toBe('µs');
    expect(labels(393_809_000, 393_809_400).every((label) => /^[\d,]+\.\d{2}( µs)?$/.test(label))).toBe(true);
  });

  it('counts events and says so', () => {
    expect(labels(0, 8092, 800, 'event').slice(0, 3)).toEqual(['event 0', '1,000', '2,000']);
  });

  it('never counts parts of an event', () => {
    expect(labels(10, 14, 800, 'event')).toEqual(['event 10', '11', '12', '13', '14']);
  });

  it('leaves out labels that something covers and keeps their lines', () => {
    const axis = timeAxis('time', { from: 0, to: 394e6 }, 800, words, [{ from: 90, to: 130 }]);
    expect(axis.ticks[1]?.label).toBe('');
    expect(axis.ticks).toHaveLength(8);
  });

  it('moves the unit on when the first label is covered', () => {
    const axis = timeAxis('time', { from: 0, to: 394e6 }, 800, words, [{ from: -10, to: 30 }]);
    expect(axis.ticks[1]?.label).toBe('50 ms');
  });
});

describe('a byte axis', () => {
  it('holds one unit and starts above the largest value', () => {
    const axis = byteAxis(56.91 * 2 ** 30, 226);
    expect(axis.ticks.map((tick) => `${tick.number} ${tick.unit}`)).toEqual(['20 GiB', '40 GiB', '60 GiB']);
    expect(axis.top).toBeGreaterThanOrEqual(56.91 * 2 ** 30);
  });

  it('keeps its scale while the largest value moves a little', () => {
    expect(byteAxis(1000, 200).top).toBe(byteAxis(990, 200).top);
  });

  it('has no ticks when there is nothing', () => {
    expect(byteAxis(0, 100)).toEqual({ top: 1, ticks: [] });
  });

  it('never shows parts of a byte', () => {
    expect(byteAxis(3, 200).ticks.map((tick) => tick.value)).toEqual([1, 2, 3]);
  });
});

describe('labels of a value axis', () => {
  const measure = (text: string) => text.length * 6;
  const levels = [10, 40, 70].map((y, at) => ({ y, number: String(60 - 20 * at), unit: 'GiB' }));

  it('name the unit once, at the top', () => {
    expect(labelLevels(levels, 200, 60, measure).map((label) => label.text)).toEqual(['60 GiB', '40', '20']);
  });

  it('give way to a long name of the lane', () => {
    expect(labelLevels(levels, 200, 110, measure).map((label) => label.text)).toEqual(['40 GiB', '20']);
  });
});

describe('a lane that is cut', () => {
  const columns = { left: 0, width: 1, first: 0, end: 100 };

  it('cuts a short high stretch and remembers it', () => {
    const values = Float64Array.from({ length: 100 }, (_, index) => (index < 8 ? 28 : 5));
    const scale = cutScale(values, columns);
    expect(scale.cut).toEqual({ value: 28, column: 0, first: 0, end: 8 });
    expect(scale.largest).toBeCloseTo(5.5, 9);
  });

  it('cuts nothing when the high part is long or not much higher', () => {
    const long = Float64Array.from({ length: 100 }, (_, index) => (index < 40 ? 28 : 5));
    expect(cutScale(long, columns)).toEqual({ largest: 28, cut: null });
    const low = Float64Array.from({ length: 100 }, (_, index) => (index < 8 ? 8 : 5));
    expect(cutScale(low, columns)).toEqual({ largest: 8, cut: null });
  });

  it('finds the largest visible value and its column', () => {
    const values = Float64Array.from([9, 1, 5, 7, 2]);
    expect(largestVisible(values, { left: 0, width: 1, first: 1, end: 5 })).toEqual({ value: 7, column: 3 });
  });
});
