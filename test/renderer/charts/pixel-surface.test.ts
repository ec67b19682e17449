import { describe, expect, it } from 'vitest';
import { fillBetween, fillUnder, strokeSteps } from '../../../renderer/charts/draw.ts';
import { type Ink, PixelSurface } from '../../../renderer/charts/pixel-surface.ts';

const BLACK = 0xff000000;
const WHITE = 0xffffffff;
const STRIPES: Ink = { words: Int32Array.from([1, 2, 3, 4], (grey) => 0xff000000 | grey), side: 2 };
const INKS: Readonly<Record<string, Ink>> = {
  black: BLACK,
  white: WHITE,
  glass: 0x80000000,
  stripes: STRIPES,
};

function surfaceOf(width: number, height: number, ratio = 1): PixelSurface {
  return new PixelSurface(width, height, ratio, (style) => INKS[String(style)] ?? BLACK);
}

/** Rows of pixels as text: a dot is clear, a hash black, a digit the tenths of another alpha. */
function pictureOf(surface: PixelSurface): string[] {
  surface.finish();
  const { width, height, rows } = surface;
  const sign = (word: number) => {
    const alpha = word >>> 24;
    return alpha === 0 ? '.' : alpha === 255 ? '#' : String(Math.floor(alpha / 25.6));
  };
  return Array.from({ length: height }, (_, row) =>
    Array.from(rows.subarray(row * width, (row + 1) * width), sign).join(''),
  );
}

describe('a surface of pixels', () => {
  it('fills whole pixels and nothing outside of a rectangle', () => {
    const surface = surfaceOf(6, 4);
    surface.fillStyle = 'black';
    surface.fillRect(1, 1, 3, 2);
    expect(pictureOf(surface)).toEqual(['......', '.###..', '.###..', '......']);
  });

  it('counts in CSS pixels and clips at its edges', () => {
    const surface = surfaceOf(6, 4, 2);
    surface.fillStyle = 'black';
    surface.fillRect(-1, 1, 2, 5);
    surface.fillRect(2.5, -1, 4, 1.5);
    expect(pictureOf(surface)).toEqual(['.....#', '......', '##....', '##....']);
  });

  it('covers pixels in part where an edge lies within them', () => {
    const surface = surfaceOf(3, 4);
    surface.fillStyle = 'black';
    surface.fillRect(0, 0.5, 1, 2);
    surface.fillRect(1.5, 1, 1, 1);
    surface.fillRect(2, 3.25, 1, 0.5);
    expect(pictureOf(surface)).toEqual(['5..', '#55', '5..', '..5']);
  });

  it('draws a rectangle of negative size where a canvas does', () => {
    const surface = surfaceOf(3, 3);
    surface.fillStyle = 'black';
    surface.fillRect(2, 3, -1, -2);
    expect(pictureOf(surface)).toEqual(['...', '.#.', '.#.']);
  });

  it('mixes what is translucent with what lies under it', () => {
    const surface = surfaceOf(5, 1);
    surface.fillStyle = 'white';
    surface.fillRect(0, 0, 2, 1);
    surface.globalAlpha = 0.5;
    surface.fillRect(2, 0, 1, 1);
    surface.fillStyle = 'black';
    surface.fillRect(1, 0, 3, 1);
    surface.globalAlpha = 1;
    surface.fillStyle = 'glass';
    surface.fillRect(4, 0, 1, 1);
    surface.finish();
    const [white, grey, both, half, glass] = Array.from(surface.rows, (word) => word >>> 0);
    expect(white).toBe(WHITE);
    expect((grey as number) >>> 24).toBe(255);
    expect((grey as number) & 0xff).toBeCloseTo(127, -1);
    expect((both as number) >>> 24).toBeCloseTo(191, -1);
    expect((both as number) & 0xff).toBeCloseTo(85, -1);
    expect(half).toBe(0x80000000);
    expect(glass).toBe(0x80000000);
  });

  it('repeats a tile from the corner of the surface', () => {
    const surface = surfaceOf(4, 3);
    surface.fillStyle = 'stripes';
    surface.fillRect(1, 1, 3, 2);
    surface.finish();
    expect(Array.from(surface.rows, (word) => word & 0xff)).toEqual([0, 0, 0, 0, 0, 4, 3, 4, 0, 2, 1, 2]);
  });

  it('is empty again once it was cleared', () => {
    const surface = surfaceOf(5, 2);
    surface.fillStyle = 'black';
    surface.globalAlpha = 0.4;
    surface.fillRect(0, 0, 5, 2);
    surface.clear();
    expect(surface.globalAlpha).toBe(1);
    expect(pictureOf(surface)).toEqual(['.....', '.....']);
  });
});

describe('step paths on a surface of pixels', () => {
  // steps of two pixels: heights 2, 4 and 1 above the bottom of a lane 5 tall
  const upper = Float64Array.of(0, 3, 2, 3, 2, 1, 4, 1, 4, 4, 6, 4);

  it('fill what lies under them', () => {
    const surface = surfaceOf(6, 5);
    fillUnder(surface, upper, 5, 'black');
    expect(pictureOf(surface)).toEqual(['......', '..##..', '..##..', '####..', '######']);
  });

  it('fill between two that step at places of their own', () => {
    const surface = surfaceOf(6, 5);
    fillBetween(surface, { upper, lower: Float64Array.of(0, 4, 3, 4, 3, 5, 6, 5) }, 'black');
    expect(pictureOf(surface)).toEqual(['......', '..##..', '..##..', '####..', '...###']);
  });

  it('are outlined with their rises, dashed where asked', () => {
    const whole = surfaceOf(6, 5);
    strokeSteps(whole, Float64Array.of(0, 0.5, 3, 0.5, 3, 3.5, 6, 3.5), 'black', 1);
    expect(pictureOf(whole)).toEqual(['###5..', '..55..', '..55..', '..5###', '......']);
    const dashed = surfaceOf(6, 1);
    strokeSteps(dashed, Float64Array.of(0, 0.5, 6, 0.5), 'black', 1, [2, 1]);
    expect(pictureOf(dashed)).toEqual(['##.##.']);
  });
});
