import type { AxisName, LayoutName, RegionName, SiteInfo } from '../../../app/contract/engine.ts';
import { useLive } from '../../charts/live.ts';

import type { AxisPlace } from '../../charts/moment-words.ts';
import type { TimeAxis } from '../../charts/time-axis.ts';
import type { TooltipLine } from '../../charts/tooltip.tsx';
import type { Words } from '../../charts/use-words.ts';
import type { Palette } from '../../design/colours.ts';
import type { Range } from '../../state/store.ts';
import type { Lane } from './lane-layout.ts';

/** The visible window and what follows from it alone. */
export interface PlotWindow {
  readonly range: Range;
  readonly ticks: TimeAxis;
  /** Places of the vertical grid lines. */
  readonly grid: readonly number[];
  readonly place: AxisPlace;
}

/** What every lane of one plot shares. */
export interface PlotView {
  readonly axis: AxisName;
  readonly full: Range;
  /** Of the plot, in CSS pixels. */
  readonly width: number;
  /** The window as it is in this frame; the same object until it moves. */
  readonly now: () => PlotWindow;
  readonly words: Words;
  readonly palette: Palette;
  readonly sites: readonly SiteInfo[];
  readonly used: readonly RegionName[];
  readonly layout: LayoutName;
  /** Whether the capture says what was asked for beside how large the blocks are. */
  readonly areRequestsKnown: boolean;
  /** The capture is cut off: counters are at least what is drawn. */
  readonly isBounded: boolean;
}

/** What a lane says and does at a place in it; both are pure functions of what it drew. */
export interface LaneTouch {
  readonly describe: (x: number, y: number) => readonly TooltipLine[] | null;
  /** The call site under the pointer, to be emphasised everywhere. */
  readonly siteAt?: (x: number, y: number) => number | null;
  /** A block that a click selects, with the moment in which it is pictured. */
  readonly blockAt?: (x: number, y: number) => { block: number; moment: number } | null;
  /** A moment that a click goes to exactly. */
  readonly momentAt?: (x: number, y: number) => number | null;
  /** The thing a double-click zooms to. */
  readonly stretchAt?: (x: number, y: number) => Range | null;
}

/** Lanes tell their touch when they draw; the layer above the lanes asks the one under the pointer. */
export type TouchBook = Map<string, LaneTouch>;

export interface LaneProps {
  readonly lane: Lane;
  readonly view: PlotView;
  readonly touches: TouchBook;
}

/** For the small parts that move with the window: they alone render with every frame. */
export function usePlotWindow(view: PlotView): PlotWindow {
  return useLive(view.now);
}
