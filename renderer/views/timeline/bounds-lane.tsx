import { useMemo } from 'react';
import type { RegionName, SeriesResult } from '../../../app/contract/engine.ts';
import { Canvas, type Draw } from '../../charts/canvas.tsx';
import { columnAt, columnRange, columnScale } from '../../charts/columns.ts';
import { boundLines } from '../../charts/hover-lines.ts';
import { byteAxis, largestVisible } from '../../charts/lane-scale.ts';
import { levelsOf } from '../../charts/levels.ts';
import { stretchWords } from '../../charts/moment-words.ts';
import { drawBounds } from '../../charts/pictures.ts';
import { prepareBounds, valueScale, valueY } from '../../charts/series-path.ts';
import { LaneFrame, LegendList } from './lane-frame.tsx';
import type { LaneProps } from './plot-view.ts';
import { useTouch } from './use-touch.ts';

interface Props extends LaneProps {
  readonly data: SeriesResult | null;
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
  const { words, width, range, grid, palette } = view;
  const prepared = useMemo(() => {
    if (data === null || width <= 0) return null;
    const columns = columnScale(data.window, range, width);
    const values = data.total[counter];
    const axis = byteAxis(
      Math.max(final ?? 0, largestVisible(values.max, columns).value + extra),
      lane.height - AIR,
    );
    const y = valueScale(lane.height, axis.top, AIR);
    const levels = levelsOf(axis, y);
    const frame = { width, height: lane.height, grid, levels: levels.map((level) => level.y) };
    const marks = prepareBounds(values, extra, columns, y);
    const draw: Draw = (surface, ratio) => drawBounds(surface, ratio, marks, busiest, palette, frame);
    return { columns, levels, draw, endTop: valueY(y, final ?? 0) };
  }, [data, counter, extra, final, width, range, grid, palette, lane.height, busiest]);
  useTouch(touches, lane, {
    describe: (x) => {
      const column = prepared === null ? null : columnAt(prepared.columns, x);
      if (column === null || data === null) return null;
      const where = stretchWords(words, view.place, columnRange(data.window, column));
      return boundLines(words, data.total[counter], counter, extra, column, where);
    },
  });
  return (
    <LaneFrame
      lane={lane}
      name={words.t(`bounds.${counter}`)}
      caption={words.t(`bounds.${counter}Caption`)}
      levels={prepared?.levels ?? []}
      legend={
        <LegendList
          items={['atLeast', 'atMost', 'sure', 'unknown']}
          region={busiest}
          word={(key) => words.t(`legend.${key}`)}
        />
      }
    >
      {prepared === null ? null : (
        <>
          <Canvas width={width} height={lane.height} draw={prepared.draw} />
          {end === null || final === null ? null : (
            <div className="end-column" style={{ left: end.left, width: end.width, top: prepared.endTop }}>
              <span>{words.bytes(final)}</span>
              <div style={{ background: `var(--${busiest}-area)` }} />
            </div>
          )}
        </>
      )}
    </LaneFrame>
  );
}
