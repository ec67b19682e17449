import type { RegionName } from '../../app/contract/engine.ts';
import {
  fromOklab,
  inkOn,
  occupancyRamp,
  ownerColour,
  type Palette,
  parseHex,
  type Rgb,
  toOklab,
} from '../design/colours.ts';
import type { LiveColours } from './live-raster.ts';
import type { MapColours } from './map-raster.ts';

/** The colours of the design as words of ImageData (0xAABBGGRR), for what is drawn pixel by pixel. */
export function word([red, green, blue]: Rgb): number {
  return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
}

/** Any CSS colour as channels; forced colours are names that only the browser can read. */
export function channels(colour: string): Rgb {
  if (/^#[0-9a-f]{6}$/i.test(colour)) return parseHex(colour);
  const surface = document.createElement('canvas').getContext('2d');
  if (surface === null) return [128, 128, 128];
  surface.fillStyle = colour;
  return /^#[0-9a-f]{6}$/i.test(surface.fillStyle) ? parseHex(surface.fillStyle) : [128, 128, 128];
}

/** Between two colours in OKLab; `share` of the second. */
export function blend(one: Rgb, other: Rgb, share: number): Rgb {
  const from = toOklab(one);
  const to = toOklab(other);
  const at = (axis: 0 | 1 | 2) => from[axis] + (to[axis] - from[axis]) * share;
  return fromOklab([at(0), at(1), at(2)]);
}

export function liveColours(palette: Palette, siteCount: number): LiveColours {
  const surface = channels(palette.colours.surface);
  const ranks = Array.from({ length: Math.max(1, siteCount) }, (_, rank) =>
    ownerColour(palette, rank, siteCount),
  );
  const shades = (shade: (owner: Rgb, css: string) => Rgb) =>
    Uint32Array.from(ranks, (css) => word(shade(channels(css), css)));
  return {
    owners: shades((owner) => owner),
    ownersAlternate: shades((owner) => blend(owner, surface, 0.1)),
    separators: shades((owner, css) =>
      blend(owner, channels(inkOn(css) === '#ffffff' ? '#ffffff' : '#121316'), 0.22),
    ),
    faded: shades((owner) => blend(owner, surface, 0.65)),
  };
}

export function mapColours(palette: Palette, region: RegionName, siteCount: number): MapColours {
  const texels = occupancyRamp(palette, region);
  const sunken = channels(palette.colours.sunken);
  const ranks = Math.max(1, siteCount);
  return {
    occupancy: new Uint32Array(texels.buffer.slice(0)),
    owners: Uint32Array.from({ length: ranks }, (_, rank) =>
      word(channels(ownerColour(palette, rank, siteCount))),
    ),
    free: word(channels(palette.colours.surface)),
    unmapped: word(sunken),
    unmappedHatch: word(blend(sunken, channels(palette.colours['line-strong']), 0.85)),
  };
}
