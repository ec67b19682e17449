import { useMemo } from 'react';
import type { RegionName } from '../../app/contract/engine.ts';
import { type Theme, useTheme } from './theme.ts';

/**
 * Colours for canvas, and the arithmetic behind them. CSS (tokens.css) is the one source of the values; a palette
 * is what it says under the current theme. Ramps are mixed in OKLab, where equal steps look equal.
 */
export type Rgb = readonly [number, number, number];

const NAMES = [
  'surface',
  'sunken',
  'line',
  'line-strong',
  'grid',
  'ink',
  'ink-2',
  'ink-3',
  'immediate',
  'immediate-area',
  'immediate-text',
  'pooled',
  'pooled-area',
  'pooled-text',
  'virtual',
  'virtual-area',
  'virtual-text',
  'free',
  'hole',
  'hole-tint',
  'hole-text',
  'critical',
  'caution',
  'caution-tint',
  'good',
  'good-tint',
  'focus',
  'selection',
] as const;
export type ColourName = (typeof NAMES)[number];

/** Call sites with a colour of their own; everything after them is "other". */
export const OWNER_COUNT = 8;

export interface Palette {
  readonly theme: Theme;
  readonly colours: Readonly<Record<ColourName, string>>;
  /** [OWNER_COUNT + 1], the last is "other". */
  readonly owners: readonly string[];
}

export function readPalette(theme: Theme): Palette {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    theme,
    colours: Object.fromEntries(NAMES.map((name) => [name, read(name)])) as Record<ColourName, string>,
    owners: [...Array.from({ length: OWNER_COUNT }, (_, rank) => read(`owner-${rank}`)), read('owner-other')],
  };
}

/** The palette of the current theme; a new object when the theme changes. */
export function usePalette(): Palette {
  const theme = useTheme();
  return useMemo(() => readPalette(theme), [theme]);
}

/** The CSS variable of a call site: its rank in `sites`, whose last one is "other". */
export function ownerVariable(rank: number, siteCount: number): string {
  return rank < OWNER_COUNT && rank < siteCount - 1 ? `var(--owner-${rank})` : 'var(--owner-other)';
}

export function ownerColour(palette: Palette, rank: number, siteCount: number): string {
  const isOwn = rank < OWNER_COUNT && rank < siteCount - 1;
  return palette.owners[isOwn ? rank : OWNER_COUNT] ?? '#888888';
}

export function parseHex(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

export function toHex([red, green, blue]: Rgb): string {
  return `#${((red << 16) | (green << 8) | blue).toString(16).padStart(6, '0')}`;
}

const toLinear = (channel: number) => {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
};
const fromLinear = (value: number) => {
  const clamped = Math.min(1, Math.max(0, value));
  return Math.round(255 * (clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * clamped ** (1 / 2.4) - 0.055));
};

/** Björn Ottosson's OKLab, https://bottosson.github.io/posts/oklab/. */
export function toOklab(colour: Rgb): Rgb {
  const [red, green, blue] = colour.map(toLinear) as [number, number, number];
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const middle = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * long + 0.793617785 * middle - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * middle + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * middle - 0.808675766 * short,
  ];
}

export function fromOklab([light, a, b]: Rgb): Rgb {
  const long = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const middle = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    fromLinear(4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short),
    fromLinear(-1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short),
    fromLinear(-0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short),
  ];
}

/** A ramp through equally spaced stops ("#rrggbb") as texels of red, green, blue, 255: [count * 4]. */
export function bakeRamp(stops: readonly string[], count = 256): Uint8ClampedArray {
  const points = stops.map((stop) => toOklab(parseHex(stop)));
  const texels = new Uint8ClampedArray(count * 4);
  for (let texel = 0; texel < count; texel++) {
    const at = (texel / Math.max(1, count - 1)) * (points.length - 1);
    const low = Math.min(points.length - 1, Math.floor(at));
    const from = points[low] ?? [0, 0, 0];
    const to = points[Math.min(points.length - 1, low + 1)] ?? from;
    const mixed = fromOklab(
      from.map((value, axis) => value + ((to[axis] ?? 0) - value) * (at - low)) as unknown as Rgb,
    );
    texels.set([...mixed, 255], texel * 4);
  }
  return texels;
}

/** How full a cell is, from free to full, in the tones of a region. */
export function occupancyRamp(palette: Palette, region: RegionName): Uint8ClampedArray {
  const { colours } = palette;
  return bakeRamp([colours.free, colours[`${region}-area`], colours[`${region}-text`]]);
}

/** WCAG 2 relative luminance. */
export function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map(toLinear) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2 contrast ratio, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [low, high] = [luminance(parseHex(one)), luminance(parseHex(other))].sort((a, b) => a - b) as [
    number,
    number,
  ];
  return (high + 0.05) / (low + 0.05);
}

/** The ink that reads best on a fill. */
export function inkOn(fill: string): string {
  return contrast(fill, '#121316') >= contrast(fill, '#ffffff') ? '#121316' : '#ffffff';
}
