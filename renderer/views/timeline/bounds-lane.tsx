import { useMemo } from 'react';
import type { RegionName, SeriesResult } from '../../../app/contract/engine.ts';
import { MovingCanvas } from '../../charts/canvas.tsx';
import { columnAt, columnRange, columnScale } from '../../charts/columns.ts';
import { boundLines } from '../../charts/hover-lines.ts';
import { byteAxis, largestVisible } from '../../charts/lane-scale.ts';
import { levelsOf, NO_LEVELS } from '../../charts/levels.ts';
import { lastOf, useLive } from '../../charts/live.ts';
import { stretchWords } from '../../charts/moment-words.ts';
import { drawBounds } from '../../charts/pictures.ts';
import { drawSteps } from '../../charts/pixel-surface.ts';
import { prepareBounds, stepCount, valueScale, valueY } from '../../charts/series-path.ts';
import { LaneFrame, LegendList } from './lane-frame.tsx';
import type { LaneProps, PlotWindow } from './plot-view.ts';
import { useTouch } from './use-touch.ts';

interface Props extends LaneProps {
  readonly data: () => SeriesResult | null;
  readonly counter: 'reserved' | 'active';
  /** Bytes that cannot be placed in time: at most so many more. */
  readonly extra: number;
  /** What the capture says stood at its end; null when it does not. */
  readonly final: number | null;
  /** Where the column of the end begins; null while it is out of sight. */
  readonly end: { readonly left: number; readonly width: number } | null;
  readonly busiest: RegionName;
}

const AIR = 26;

/** A counter of a cut-off capture: at least the solid line, at most the dashed one, and the end as it was stored. */
export function BoundsLane({ lane, view, touches, data, counter, extra, final, end, busiest }: Props) {
  const { words, width, palette } = view;
  const prepare = useMemo(
    () =>
      lastOf(({ range, grid }: PlotWindow, answer: SeriesResult | null) => {
        if (answer === null || width <= 0) return null;
        const columns = columnScale(answer.window, range, width);
        const values = answer.total[counter];
        const axis = byteAxis(
          Math.max(final ?? 0, largestVisible(values.max, columns).value + extra),
          lane.height - AIR,
        );
        const y = valueScale(lane.height, axis.top, AIR);
        const levels = levelsOf(axis, y);
        const frame = { width, height: lane.height, grid, levels: levels.map((level) => level.y) };
        const marks = prepareBounds(values, extra, columns, y);
        const draw = drawSteps(stepCount(marks.atLeast, marks.atMost), (surface, ratio) =>
          drawBounds(surface, ratio, marks, busiest, palette, frame),
        );
        return { window: answer.window, values, columns, levels, draw, endTop: valueY(y, final ?? 0) };
      }),
    [counter, extra, final, width, palette, lane.height, busiest],
  );
  const prepared = () => prepare(view.now(), data());
  useTouch(touches, lane, {
    describe: (x) => {
      const now = prepared();
      const column = now === null ? null : columnAt(now.columns, x);
      if (column === null || now === null) return null;
      const where = stretchWords(words, view.now().place, columnRange(now.window, column));
      return boundLines(words, now.values, counter, extra, column, where);
    },
  });
  return (
    <LaneFrame
      lane={lane}
      name={words.t(`bounds.${counter}`)}
      caption={words.t(`bounds.${counter}Caption`)}
      levels={() => prepared()?.levels ?? NO_LEVELS}
      legend={
        <LegendList
          items={['atLeast', 'atMost', 'sure', 'unknown']}
          region={busiest}
          word={(key) => words.t(`legend.${key}`)}
        />
      }
    >
      <MovingCanvas width={width} height={lane.height} picture={() => prepared()?.draw ?? null} />
      {end === null || final === null ? null : (
        <EndColumn
          {...end}
          top={() => prepared()?.endTop ?? null}
          text={words.bytes(final)}
          colour={`var(--${busiest}-area)`}
        />
      )}
    </LaneFrame>
  );
}

interface EndColumnProps {
  readonly left: number;
  readonly width: number;
  /** Moves with the lane's scale; null while there is none. */
  readonly top: () => number | null;
  readonly text: string;
  readonly colour: string;
}

function EndColumn({ left, width, top, text, colour }: EndColumnProps) {
  const y = useLive(top);
  if (y === null) return null;
  return (
    <div className="end-column" style={{ left, width, top: y }}>
      <span>{text}</span>
      <div style={{ background: colour }} />
    </div>
  );
}
