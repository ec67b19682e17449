import type { LiveBlocksResult } from '../../app/contract/engine.ts';
import type { ColumnScale } from './columns.ts';
import { type ValueScale, valueY } from './series-path.ts';

/** A call site's name in its band, or beside it with a swatch where the band is too thin for it. */
export interface BandLabel {
  readonly site: number;
  readonly text: string;
  /** Middle of the text for "inside", its right end for "beside". */
  readonly x: number;
  /** Middle of the line. */
  readonly y: number;
  readonly place: 'inside' | 'beside';
}

const LINE = 16;
/** Room a name needs in its band, above and below its letters and at both ends. */
const ROOM = 14;
const PAD = 5;
/** Bands thinner than this at their thickest are named in the inspector only. */
const THINNEST = 3;
/** Columns are looked at in steps of so many pixels. */
const STEP = 6;

export interface Band {
  readonly site: number;
  /** By step, in pixels from the top of the lane; upper = lower where the site has nothing. */
  readonly upper: Float64Array;
  readonly lower: Float64Array;
}

/** The band of every call site at every sixth pixel; sites stand in the order in which they are stacked. */
export function bandsOf(data: LiveBlocksResult, columns: ColumnScale, y: ValueScale, width: number): Band[] {
  const steps = Math.max(1, Math.ceil(width / STEP));
  const bands = new Map<number, Band>();
  for (let step = 0; step < steps; step++) {
    const column = Math.floor(((step + 0.5) * STEP - columns.left) / columns.width);
    if (column < 0 || column >= data.window.columns) continue;
    let sum = 0;
    const end = data.firstRun[column + 1] as number;
    for (let run = data.firstRun[column] as number; run < end; run++) {
      const site = data.site[run] as number;
      const band = bands.get(site) ?? addBand(bands, site, steps);
      const isFirst = Number.isNaN(band.lower[step]);
      if (isFirst) band.lower[step] = valueY(y, sum);
      sum += data.bytes[run] as number;
      band.upper[step] = valueY(y, sum);
    }
  }
  return [...bands.values()];
}

function addBand(bands: Map<number, Band>, site: number, steps: number): Band {
  const nothing = () => new Float64Array(steps).fill(Number.NaN);
  const band = { site, upper: nothing(), lower: nothing() };
  bands.set(site, band);
  return band;
}

/** Names every band once: inside where it is thickest, else above the stack; labels never cover one another. */
export function placeLabels(
  bands: readonly Band[],
  width: number,
  nameOf: (site: number) => string,
  measure: (text: string) => number,
): BandLabel[] {
  const labels: BandLabel[] = [];
  const boxes: Box[] = [];
  const thin: Band[] = [];
  for (const band of bands) {
    const text = nameOf(band.site);
    const placed = placeInside(band, measure(text) + 2 * PAD, width);
    if (placed === null) {
      if (thickest(band).height >= THINNEST) thin.push(band);
      continue;
    }
    labels.push({ site: band.site, text, ...placed, place: 'inside' });
    boxes.push(boxAround(placed.x, placed.y, measure(text)));
  }
  const sky = skyline(bands);
  for (const band of thin) {
    const text = nameOf(band.site);
    const label = placeBeside(band, measure(text) + SWATCH, width, sky, boxes);
    if (label === null) continue;
    labels.push({
      site: band.site,
      text,
      x: label.x + (measure(text) + SWATCH) / 2,
      y: label.y,
      place: 'beside',
    });
    boxes.push(boxAround(label.x, label.y, measure(text) + SWATCH));
  }
  return labels;
}

const SWATCH = 15;

interface Box {
  readonly left: number;
  readonly right: number;
  readonly y: number;
}

function boxAround(x: number, y: number, width: number): Box {
  return { left: x - width / 2 - 4, right: x + width / 2 + 4, y };
}

function overlaps(box: Box, boxes: readonly Box[]): boolean {
  return boxes.some(
    (one) => box.left < one.right && box.right > one.left && Math.abs(box.y - one.y) < LINE - 2,
  );
}

/** Where a rectangle of the text's width fits best between the band's edges. */
function placeInside(band: Band, textWidth: number, width: number): { x: number; y: number } | null {
  const steps = Math.ceil(textWidth / STEP);
  let best: { x: number; y: number } | null = null;
  let room = ROOM;
  for (let first = 1; (first + steps) * STEP < width - 4; first++) {
    const upper = extreme(band.upper, first, steps, Math.max);
    const lower = extreme(band.lower, first, steps, Math.min);
    const x = (first + steps / 2) * STEP;
    const isBetter =
      lower - upper > room + 1 || (lower - upper >= room && isNearer(x, best?.x, width * FAVOURED));
    if (!isBetter) continue;
    room = Math.max(room, lower - upper);
    best = { x, y: (upper + lower) / 2 };
  }
  return best;
}

/** Where a name stands in a band that is as thick everywhere: near the end, where the eye arrives. */
const FAVOURED = 0.8;

function isNearer(x: number, other: number | undefined, wanted: number): boolean {
  return other === undefined || Math.abs(x - wanted) < Math.abs(other - wanted);
}

function placeBeside(
  band: Band,
  textWidth: number,
  width: number,
  sky: Float64Array,
  boxes: readonly Box[],
): { x: number; y: number } | null {
  const at = thickest(band).step * STEP;
  const steps = Math.ceil(textWidth / STEP);
  for (const shift of [0, 40, -40, 80, -80, 120, -120, 180, -180]) {
    const x = Math.min(Math.max(at + shift, textWidth / 2 + 8), width - textWidth / 2 - 8);
    const top = extreme(sky, Math.max(0, Math.floor((x - textWidth / 2) / STEP)), steps + 1, Math.min);
    for (const raise of [0, 1]) {
      const y = top - 10 - raise * LINE;
      if (y > LINE / 2 && !overlaps(boxAround(x, y, textWidth), boxes)) return { x, y };
    }
  }
  return null;
}

function thickest(band: Band): { step: number; height: number } {
  let step = 0;
  let height = 0;
  band.upper.forEach((upper, index) => {
    const thickness = (band.lower[index] as number) - upper;
    if (thickness > height) {
      step = index;
      height = thickness;
    }
  });
  return { step, height };
}

/** The top of the stack. */
function skyline(bands: readonly Band[]): Float64Array {
  const sky = new Float64Array(bands[0]?.upper.length ?? 0).fill(Number.POSITIVE_INFINITY);
  for (const band of bands) {
    band.upper.forEach((upper, step) => {
      if (upper < (sky[step] as number)) sky[step] = upper;
    });
  }
  return sky;
}

/** NaN when the band has a gap there. */
function extreme(
  values: Float64Array,
  first: number,
  count: number,
  pick: (one: number, other: number) => number,
): number {
  let result = values[first] ?? Number.NaN;
  for (let index = first + 1; index < Math.min(first + count, values.length); index++) {
    result = pick(result, values[index] as number);
  }
  return result;
}
