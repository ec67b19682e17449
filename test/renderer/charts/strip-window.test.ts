import { describe, expect, it } from 'vitest';
import { dragGrip, gripAt, nudge } from '../../../renderer/charts/strip-window.ts';

const full = { from: 0, to: 1000 };

describe('the window on the overview strip', () => {
  it('is taken by its ends, by its middle, or drawn anew', () => {
    const range = { from: 200, to: 600 };
    expect(gripAt(range, full, 1000, 203)).toBe('from');
    expect(gripAt(range, full, 1000, 608)).toBe('to');
    expect(gripAt(range, full, 1000, 400)).toBe('window');
    expect(gripAt(range, full, 1000, 800)).toBe('new');
  });

  it('can still be moved when it is narrow, and drawn anew when it is everything', () => {
    expect(gripAt({ from: 500, to: 530 }, full, 1000, 515)).toBe('window');
    expect(gripAt(full, full, 1000, 500)).toBe('new');
  });

  it('keeps its length while it is moved and stops at the ends', () => {
    const range = { from: 200, to: 600 };
    expect(dragGrip('window', range, full, 1000, 400, 450, 4)).toEqual({ from: 250, to: 650 });
    expect(dragGrip('window', range, full, 1000, 400, 2000, 4)).toEqual({ from: 600, to: 1000 });
  });

  it('never turns inside out', () => {
    const range = { from: 200, to: 600 };
    expect(dragGrip('from', range, full, 1000, 200, 900, 4)).toEqual({ from: 596, to: 600 });
    expect(dragGrip('to', range, full, 1000, 600, 0, 4)).toEqual({ from: 200, to: 204 });
    expect(dragGrip('new', range, full, 1000, 700, 300, 4)).toEqual({ from: 300, to: 700 });
  });

  it('moves its ends by shares of the whole', () => {
    expect(nudge({ from: 200, to: 600 }, full, 'from', 0.01, 4)).toEqual({ from: 210, to: 600 });
    expect(nudge({ from: 200, to: 600 }, full, 'to', 1, 4)).toEqual({ from: 200, to: 1000 });
    expect(nudge({ from: 200, to: 600 }, full, 'from', 1, 4)).toEqual({ from: 596, to: 600 });
  });
});
