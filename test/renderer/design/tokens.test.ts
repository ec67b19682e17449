import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  bakeRamp,
  contrast,
  fromOklab,
  inkOn,
  parseHex,
  type Rgb,
  toHex,
  toOklab,
} from '../../../renderer/design/colours.ts';

const css = readFileSync(new URL('../../../renderer/design/tokens.css', import.meta.url), 'utf8');

function tokensOf(theme: string): Record<string, string> {
  const block = css.split(`[data-theme="${theme}"] {`)[1]?.split('\n}')[0] ?? '';
  return Object.fromEntries(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, hex]) => [name, hex]),
  );
}

/** Where each text colour is used. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  ink: ['app', 'surface', 'raised', 'sunken', 'hover', 'selection', 'caution-tint', 'critical-tint'],
  'ink-2': ['app', 'surface', 'raised', 'sunken', 'hover', 'selection'],
  'ink-3': ['app', 'surface', 'raised', 'sunken', 'hover', 'selection'],
  'immediate-text': ['surface'],
  'pooled-text': ['surface'],
  'virtual-text': ['surface'],
  'hole-text': ['surface', 'hole-tint', 'raised'],
  critical: ['surface', 'critical-tint'],
  caution: ['surface', 'app', 'caution-tint'],
  good: ['surface', 'good-tint'],
  'button-ink': ['button'],
};

/** Machado, Oliveira and Fernandes (2009), severity 1, in linear light. */
const VISIONS: Readonly<Record<string, readonly [Rgb, Rgb, Rgb]>> = {
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function seen(hex: string, matrix: readonly [Rgb, Rgb, Rgb] | null): Rgb {
  const linear = parseHex(hex).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const rows =
    matrix?.map((row) => row.reduce((sum, weight, at) => sum + weight * (linear[at] ?? 0), 0)) ?? linear;
  return rows.map((value) => {
    const part = Math.min(1, Math.max(0, value));
    return 255 * (part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055);
  }) as unknown as Rgb;
}

function distance(one: Rgb, other: Rgb): number {
  const [a, b] = [toOklab(one), toOklab(other)];
  return 100 * Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

for (const theme of ['light', 'dark', 'contrast']) {
  describe(`the ${theme} theme`, () => {
    const tokens = tokensOf(theme);
    const colour = (name: string) => tokens[name] ?? expect.fail(`no token --${name}`);

    for (const [text, surfaces] of Object.entries(TEXTS)) {
      it(`writes ${text} at 4.5:1 or better on ${surfaces.join(', ')}`, () => {
        for (const surface of surfaces) {
          expect(contrast(colour(text), colour(surface)), surface).toBeGreaterThanOrEqual(4.5);
        }
      });
    }

    it('shows base hues, field borders and the focus ring at 3:1 or better', () => {
      for (const name of ['immediate', 'pooled', 'virtual', 'hole', 'ink-3', 'focus']) {
        expect(contrast(colour(name), colour('surface')), name).toBeGreaterThanOrEqual(3);
      }
    });

    for (const [vision, matrix] of [['normal', null] as const, ...Object.entries(VISIONS)]) {
      it(`keeps the regions apart under ${vision} vision`, () => {
        const [immediate, pooled, virtual] = ['immediate', 'pooled', 'virtual'].map((name) =>
          seen(colour(name), matrix),
        );
        if (!immediate || !pooled || !virtual) return expect.fail();
        expect(
          Math.min(distance(immediate, pooled), distance(pooled, virtual), distance(immediate, virtual)),
        ).toBeGreaterThanOrEqual(10);
      });
    }

    it('can write on every owner colour', () => {
      for (let rank = 0; rank < 8; rank++) {
        const fill = colour(`owner-${rank}`);
        expect(contrast(fill, inkOn(fill)), fill).toBeGreaterThanOrEqual(4.5);
      }
    });
  });
}

describe('colour arithmetic', () => {
  it('comes back from OKLab unchanged', () => {
    for (const hex of ['#000000', '#ffffff', '#2f6ed3', '#d9481f', '#12705a']) {
      expect(toHex(fromOklab(toOklab(parseHex(hex))))).toBe(hex);
    }
  });

  it('bakes ramps that begin and end at their stops and pass through those between', () => {
    const ramp = bakeRamp(['#e7e5df', '#86ace6', '#1f53a8'], 257);
    const texel = (at: number) => toHex([ramp[at * 4] ?? 0, ramp[at * 4 + 1] ?? 0, ramp[at * 4 + 2] ?? 0]);
    expect([texel(0), texel(128), texel(256)]).toEqual(['#e7e5df', '#86ace6', '#1f53a8']);
  });
});
