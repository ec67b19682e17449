import type { RegionName } from '../../app/contract/engine.ts';
import type { Palette } from '../design/colours.ts';
import { drawGrid, drawLevels, fillBetween, fillUnder, strokeSteps } from './draw.ts';
import { pattern } from './patterns.ts';
import type { MarkSurface } from './pixel-surface.ts';
import type { BoundMarks, Path, RegionMarks } from './series-path.ts';
import type { SignedRun } from './signed-path.ts';

/** How marks look. Each function draws one lane and decides nothing that its marks could. */

export interface LaneFrame {
  readonly width: number;
  readonly height: number;
  /** Vertical grid lines and horizontal levels, in pixels. */
  readonly grid: readonly number[];
  readonly levels: readonly number[];
}

let forcedColours: MediaQueryList | null = null;

/** In high contrast, by theme or by the system, hues alone are not enough. */
function needsPatterns(palette: Palette): boolean {
  // asked for once: making the query costs more than a lane
  forcedColours ??= matchMedia('(forced-colors: active)');
  return palette.theme === 'contrast' || forcedColours.matches;
}

/** In high contrast every region carries its pattern, else only its hue. */
function regionFill(palette: Palette, region: RegionName, ratio: number): string | CanvasPattern {
  const area = palette.colours[`${region}-area`];
  if (region === 'pooled' || !needsPatterns(palette)) return area;
  const name = region === 'immediate' ? 'dots' : 'diagonal';
  return pattern(name, { paper: area, ink: palette.colours.surface }, ratio);
}

function freeFill(palette: Palette, ratio: number): CanvasPattern | string {
  return pattern('free', { paper: null, ink: palette.colours['line-strong'] }, ratio);
}

export function drawRegion(
  surface: MarkSurface,
  ratio: number,
  marks: RegionMarks,
  region: RegionName,
  palette: Palette,
  frame: LaneFrame,
): void {
  const { colours } = palette;
  const fill = regionFill(palette, region, ratio);
  drawGrid(surface, frame.grid, frame.height, colours.grid);
  fillBetween(surface, marks.reserved, freeFill(palette, ratio));
  surface.globalAlpha = 0.45;
  fillBetween(surface, marks.activeVaried, fill);
  surface.globalAlpha = 1;
  fillUnder(surface, marks.active, frame.height, fill);
  if (marks.pending !== null) fillBetween(surface, marks.pending, colours[`${region}-text`]);
  drawOutline(surface, marks, colours.ink);
  strokeSteps(surface, marks.requested, colours[`${region}-text`], 1.2, [3, 2]);
  drawLevels(surface, frame.levels, frame.width, colours.ink);
}

/** Reserved, with the stretch in which it varied within a column. */
function drawOutline(surface: MarkSurface, marks: RegionMarks, ink: string): void {
  if (marks.reservedVaried !== null) {
    surface.globalAlpha = 0.25;
    fillBetween(surface, marks.reservedVaried, ink);
    surface.globalAlpha = 1;
  }
  strokeSteps(surface, marks.reserved.upper, ink, 1.5);
}

/** The regions stacked: each path is the sum up to its region, the last one the total. */
export function drawTotal(
  surface: MarkSurface,
  ratio: number,
  marks: RegionMarks,
  stack: readonly { region: RegionName; upTo: Path }[],
  palette: Palette,
  frame: LaneFrame,
): void {
  const { colours } = palette;
  drawGrid(surface, frame.grid, frame.height, colours.grid);
  fillBetween(surface, marks.reserved, freeFill(palette, ratio));
  for (const part of stack.toReversed()) {
    fillUnder(surface, part.upTo, frame.height, regionFill(palette, part.region, ratio));
  }
  drawOutline(surface, marks, colours.ink);
  strokeSteps(surface, marks.requested, colours['ink-2'], 1.2, [3, 2]);
  drawLevels(surface, frame.levels, frame.width, colours.ink);
}

/** At least, solid; at most, dashed; what lies between is not known. */
export function drawBounds(
  surface: MarkSurface,
  ratio: number,
  marks: BoundMarks,
  region: RegionName,
  palette: Palette,
  frame: LaneFrame,
): void {
  const { colours } = palette;
  drawGrid(surface, frame.grid, frame.height, colours.grid);
  const unknown = pattern('unknown', { paper: null, ink: colours['line-strong'] }, ratio);
  fillBetween(surface, { upper: marks.atMost, lower: marks.atLeast }, unknown);
  fillUnder(surface, marks.atLeast, frame.height, colours[`${region}-area`]);
  strokeSteps(surface, marks.atMost, colours.ink, 1.5, [4, 2]);
  strokeSteps(surface, marks.atLeast, colours.ink, 1.5);
  drawLevels(surface, frame.levels, frame.width, colours.ink);
}

export interface FreeMarks {
  /** At the end of each column, where free and the largest hole belong to one moment. */
  readonly free: Path;
  /** The most that was free within each column. */
  readonly most: Path;
  readonly largest: Path;
}

/** Total free, the part of it that one request could have, and the gap in the colour of holes. */
export function drawFree(surface: MarkSurface, marks: FreeMarks, palette: Palette, frame: LaneFrame): void {
  const { colours } = palette;
  drawGrid(surface, frame.grid, frame.height, colours.grid);
  surface.globalAlpha = 0.3;
  fillBetween(surface, { upper: marks.most, lower: marks.free }, colours.hole);
  surface.globalAlpha = 1;
  fillUnder(surface, marks.free, frame.height, colours['hole-tint']);
  surface.globalAlpha = 0.85;
  fillUnder(surface, marks.largest, frame.height, colours.ink);
  surface.globalAlpha = 1;
  strokeSteps(surface, marks.free, colours.hole, 1.5);
  drawLevels(surface, frame.levels, frame.width, colours.ink);
}

/** A lane that is cut: its upper edge is dotted where the values go beyond it. */
export function drawCut(surface: MarkSurface, from: number, to: number, palette: Palette): void {
  const edge = Float64Array.of(from, 2, to, 2);
  strokeSteps(surface, edge, palette.colours.surface, 4);
  strokeSteps(surface, edge, palette.colours.hole, 1.5, [2, 3]);
}

/** Sampled bytes: what is above zero, what is below it, and the stretch in which a column varied. */
export function drawSigned(
  surface: MarkSurface,
  runs: readonly SignedRun[],
  zero: number | null,
  palette: Palette,
  frame: LaneFrame,
): void {
  const { colours } = palette;
  drawGrid(surface, frame.grid, frame.height, colours.grid);
  for (const run of runs) {
    fillBetween(surface, run.above, colours['line-strong']);
    surface.globalAlpha = 0.5;
    fillBetween(surface, run.below, colours.critical);
    surface.globalAlpha = 0.3;
    fillBetween(surface, run.varied, colours.ink);
    surface.globalAlpha = 1;
    strokeSteps(surface, run.line, colours['ink-2'], 1.5);
  }
  if (zero !== null) {
    surface.fillStyle = colours.ink;
    surface.fillRect(0, Math.round(zero), frame.width, 1);
  }
  drawLevels(surface, frame.levels, frame.width, colours.ink);
}
