import type { LiveBlocksResult } from '../../app/contract/engine.ts';
import type { Range } from '../state/store.ts';
import { type Picture, pictureMaker } from './canvas.tsx';
import { byteAxis, largestVisible } from './lane-scale.ts';
import {
  emptyRaster,
  type LiveColours,
  type LiveRaster,
  type LiveScene,
  liveTotals,
  rasterColumns,
} from './live-raster.ts';

/** Pixels of an answer; panning and zooming only stretch them. */
export interface Stack {
  readonly answer: LiveBlocksResult;
  readonly emphasised: number | null;
  readonly picture: Picture;
  /** Bytes at the top of the picture. */
  readonly top: number;
}

interface Unfinished {
  readonly scene: LiveScene;
  readonly raster: LiveRaster;
  done: number;
}

/** A raster is spread over so many frames. */
const SLICES = 12;

/**
 * The picture of the newest answer. To make one takes a good part of a frame: while the window moves it is made a slice
 * a frame, and the one before is shown, stretched, until it is whole.
 */
export class LiveStack {
  private shown: Stack | null = null;
  private unfinished: Unfinished | null = null;
  private readonly makers = [pictureMaker(), pictureMaker()] as const;
  private made = 0;
  private readonly height: number;
  private readonly axisHeight: number;
  private readonly colours: LiveColours;

  /** `height` in device pixels, `axisHeight` in CSS pixels. */
  constructor(height: number, axisHeight: number, colours: LiveColours) {
    this.height = height;
    this.axisHeight = axisHeight;
    this.colours = colours;
  }

  /** What to show in this frame; `isMoving` while the window does. Called once a frame, as long as there is a rest to make. */
  next(answer: LiveBlocksResult, emphasised: number | null, visible: Range, isMoving: boolean): Stack {
    const { shown } = this;
    if (shown?.answer === answer && shown.emphasised === emphasised) {
      this.unfinished = null;
      return shown;
    }
    const mayWait = isMoving && shown?.emphasised === emphasised && covers(shown.answer, visible, answer);
    if (!mayWait) return this.finish(this.begin(answer, emphasised));
    const unfinished = this.unfinished ?? this.begin(answer, emphasised);
    this.unfinished = unfinished;
    const { width } = unfinished.raster;
    const end = Math.min(width, unfinished.done + Math.ceil(width / SLICES));
    rasterColumns(unfinished.raster, unfinished.scene, unfinished.done, end);
    unfinished.done = end;
    return end === width ? this.finish(unfinished) : shown;
  }

  private begin(data: LiveBlocksResult, emphasised: number | null): Unfinished {
    const whole = { left: 0, width: 1, first: 0, end: data.window.columns };
    const { top } = byteAxis(largestVisible(liveTotals(data), whole).value, this.axisHeight);
    const { height, colours } = this;
    const scene = { data, height, top, colours, emphasised };
    return { scene, raster: emptyRaster(data.window.columns, height, top), done: 0 };
  }

  private finish({ scene, raster, done }: Unfinished): Stack {
    rasterColumns(raster, scene, done, raster.width);
    this.unfinished = null;
    this.made += 1;
    const make = this.makers[this.made % 2 === 0 ? 0 : 1];
    const picture = make(raster.pixels, raster.width, raster.height);
    this.shown = { answer: scene.data, emphasised: scene.emphasised, picture, top: raster.top };
    return this.shown;
  }
}

/** An answer shows as much of the visible range as the newer one does. */
function covers(answer: LiveBlocksResult, visible: Range, newer: LiveBlocksResult): boolean {
  if (answer.window.axis !== newer.window.axis) return false;
  return (
    answer.window.from <= Math.max(visible.from, newer.window.from) &&
    answer.window.to >= Math.min(visible.to, newer.window.to)
  );
}
