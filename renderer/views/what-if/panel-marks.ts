import type { RunSummary } from '../../../app/contract/simulation.ts';
import type { ColumnScale } from '../../charts/columns.ts';
import { byteAxis } from '../../charts/lane-scale.ts';
import { type Level, levelsOf } from '../../charts/levels.ts';
import { type Path, stepPath, type ValueScale, valueScale, valueY } from '../../charts/series-path.ts';

/** What a picture of a run draws, prepared from its numbers. All pictures share one scale. */
export interface PanelMarks {
  readonly active: Path;
  readonly reserved: Path;
  /** The recording, dashed in every picture but its own. */
  readonly recorded: Path | null;
  /** The result of changed settings, dashed. */
  readonly draft: Path | null;
  readonly levels: readonly Level[];
  /** Height of the device's end; null without a limit, or beyond the scale. */
  readonly limit: number | null;
  readonly peak: { readonly x: number; readonly y: number; readonly isBeyond: boolean };
  readonly failureX: number | null;
}

type Timeline = RunSummary['timeline'];

export interface PanelData {
  readonly timeline: Timeline;
  readonly recorded: Timeline | null;
  readonly draft: Timeline | null;
  readonly capacity: number | null;
  /** Share of the trace's length at which the first request failed. */
  readonly failedAt: number | null;
}

/** Room above the highest value for its label. */
const AIR = 18;

export function preparePanel(data: PanelData, top: number, width: number, height: number): PanelMarks {
  const axis = byteAxis(top, height);
  const y = valueScale(height, Math.max(top, axis.top > top * 1.25 ? top : axis.top), AIR);
  const path = ({ reserved }: Timeline) => stepPath(reserved, columnsOf(reserved.length, width), y);
  const { reserved, active } = data.timeline;
  const limit = data.capacity === null ? null : valueY(y, data.capacity);
  return {
    active: stepPath(active, columnsOf(active.length, width), y),
    reserved: path(data.timeline),
    recorded: data.recorded === null ? null : path(data.recorded),
    draft: data.draft === null ? null : path(data.draft),
    levels: levelsOf(axis, y).filter((level) => level.y >= 0),
    limit: limit !== null && limit >= 0 ? limit : null,
    peak: peakOf(reserved, y, width, top),
    failureX: data.failedAt === null ? null : data.failedAt * width,
  };
}

function columnsOf(count: number, width: number): ColumnScale {
  return { left: 0, width: width / Math.max(1, count), first: 0, end: count };
}

function peakOf(reserved: Float64Array, y: ValueScale, width: number, top: number): PanelMarks['peak'] {
  let at = 0;
  for (let column = 1; column < reserved.length; column++) {
    if ((reserved[column] as number) > (reserved[at] as number)) at = column;
  }
  const value = reserved[at] ?? 0;
  const isBeyond = value > top;
  return {
    x: ((at + 0.5) / Math.max(1, reserved.length)) * width,
    y: isBeyond ? 0 : valueY(y, value),
    isBeyond,
  };
}
