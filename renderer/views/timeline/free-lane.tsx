import { useMemo } from 'react';
import type { SeriesResult } from '../../../app/contract/engine.ts';
import { MovingCanvas } from '../../charts/canvas.tsx';
import { type ColumnScale, columnAt, columnRange, columnScale } from '../../charts/columns.ts';
import { freeLines } from '../../charts/hover-lines.ts';
import { byteAxis, type CutScale, cutScale } from '../../charts/lane-scale.ts';
import { levelsOf, NO_LEVELS } from '../../charts/levels.ts';
import { lastOf, useLive } from '../../charts/live.ts';
import { placeWords, startWords, stretchWords } from '../../charts/moment-words.ts';
import { drawCut, drawFree } from '../../charts/pictures.ts';
import { drawSteps } from '../../charts/pixel-surface.ts';
import { freeOf, stepCount, stepPath, valueScale } from '../../charts/series-path.ts';
import { LaneFrame, LegendList } from './lane-frame.tsx';
import type { LaneRegion } from './lane-layout.ts';
import type { LaneProps, PlotView, PlotWindow } from './plot-view.ts';
import { useTouch } from './use-touch.ts';

interface Props extends LaneProps {
  readonly data: () => SeriesResult | null;
  readonly region: LaneRegion;
}

const AIR = 8;

/** Total free against the largest hole: the shaded gap is what no single request can have. */
export function FreeLane({ lane, view, touches, data, region }: Props) {
  const { words } = view;
  const prepared = usePrepared(lane.height, view, data, region);
  useTouch(touches, lane, {
    describe: (x) => {
      const now = prepared();
      const column = now === null ? null : columnAt(now.columns, x);
      if (column === null || now === null) return null;
      const where = stretchWords(words, view.now().place, columnRange(now.window, column));
      return freeLines(words, now.series, column, where);
    },
  });
  return (
    <LaneFrame
      lane={lane}
      name={words.t(`region.${region}Free`)}
      isQuiet
      levels={() => prepared()?.levels ?? NO_LEVELS}
      legend={
        <LegendList items={['total', 'largest']} region={region} word={(key) => words.t(`legend.${key}`)} />
      }
    >
      <MovingCanvas width={view.width} height={lane.height} picture={() => prepared()?.draw ?? null} />
      <CutNote view={view} cut={() => prepared()?.cut ?? null} />
    </LaneFrame>
  );
}

interface Cut {
  readonly value: number;
  readonly at: number;
  readonly left: number;
  readonly right: number;
}

/** What was cut off is printed beside it: "28.71 GiB at 0 ms, beyond the lane". */
function CutNote({ view, cut }: { readonly view: PlotView; readonly cut: () => Cut | null }) {
  const { words, width, axis } = view;
  const found = useLive(cut);
  if (found === null) return null;
  const { value, at, left, right } = found;
  const { place } = view.now();
  const where =
    at === 0 ? startWords(place) : placeWords(words, place, Math.round(at), axis === 'time' ? at : null);
  const isLeft = right > width * 0.6;
  return (
    <span
      className="cut-note"
      data-side={isLeft ? 'left' : 'right'}
      style={{ left: isLeft ? left - 8 : right + 8 }}
    >
      {words.t('lane.beyond', { bytes: words.bytes(value), where })}
    </span>
  );
}

function usePrepared(height: number, view: PlotView, data: () => SeriesResult | null, region: LaneRegion) {
  const { width, palette } = view;
  const prepare = useMemo(
    () =>
      lastOf(({ range, grid }: PlotWindow, answer: SeriesResult | null) => {
        if (answer === null || width <= 0) return null;
        const columns = columnScale(answer.window, range, width);
        const series = region === 'total' ? answer.total : answer.regions[region];
        const { most, last } = freeOf(series);
        const scale = cutScale(most, columns);
        const axis = byteAxis(scale.largest, height - AIR);
        const y = valueScale(height, axis.top, AIR);
        const levels = levelsOf(axis, y);
        const frame = { width, height, grid, levels: levels.map((level) => level.y) };
        const marks = {
          free: stepPath(last, columns, y),
          most: stepPath(most, columns, y),
          largest: stepPath(series.largestFree.last, columns, y),
        };
        const cut = axis.top < (scale.cut?.value ?? 0) ? cutOf(scale, columns, answer) : null;
        const draw = drawSteps(stepCount(marks.free, marks.most, marks.largest), (surface) => {
          drawFree(surface, marks, palette, frame);
          if (cut !== null) drawCut(surface, cut.left, cut.right, palette);
        });
        return { window: answer.window, series, columns, levels, cut, draw };
      }),
    [region, width, height, palette],
  );
  return () => prepare(view.now(), data());
}

function cutOf(scale: CutScale, columns: ColumnScale, data: SeriesResult): Cut | null {
  if (scale.cut === null) return null;
  return {
    value: scale.cut.value,
    at: columnRange(data.window, scale.cut.column).from,
    left: columns.left + scale.cut.first * columns.width,
    right: columns.left + scale.cut.end * columns.width,
  };
}
