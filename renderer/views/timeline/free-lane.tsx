import { useMemo } from 'react';
import type { SeriesResult } from '../../../app/contract/engine.ts';
import { Canvas, type Draw } from '../../charts/canvas.tsx';
import { type ColumnScale, columnAt, columnRange, columnScale } from '../../charts/columns.ts';
import { freeLines } from '../../charts/hover-lines.ts';
import { byteAxis, type CutScale, cutScale } from '../../charts/lane-scale.ts';
import { levelsOf } from '../../charts/levels.ts';
import { placeWords, startWords, stretchWords } from '../../charts/moment-words.ts';
import { drawCut, drawFree } from '../../charts/pictures.ts';
import { freeOf, stepPath, valueScale } from '../../charts/series-path.ts';
import { LaneFrame, LegendList } from './lane-frame.tsx';
import type { LaneRegion } from './lane-layout.ts';
import type { LaneProps, PlotView } from './plot-view.ts';
import { useTouch } from './use-touch.ts';

interface Props extends LaneProps {
  readonly data: SeriesResult | null;
  readonly region: LaneRegion;
}

const AIR = 8;

/** Total free against the largest hole: the shaded gap is what no single request can have. */
export function FreeLane({ lane, view, touches, data, region }: Props) {
  const { words } = view;
  const prepared = usePrepared(lane.height, view, data, region);
  useTouch(touches, lane, {
    describe: (x) => {
      const column = prepared === null ? null : columnAt(prepared.columns, x);
      if (column === null || data === null) return null;
      const series = region === 'total' ? data.total : data.regions[region];
      return freeLines(
        words,
        series,
        column,
        stretchWords(words, view.place, columnRange(data.window, column)),
      );
    },
  });
  return (
    <LaneFrame
      lane={lane}
      name={words.t(`region.${region}Free`)}
      isQuiet
      levels={prepared?.levels ?? []}
      legend={
        <LegendList items={['total', 'largest']} region={region} word={(key) => words.t(`legend.${key}`)} />
      }
    >
      {prepared === null ? null : <Canvas width={view.width} height={lane.height} draw={prepared.draw} />}
      {prepared?.cut ? <CutNote view={view} {...prepared.cut} /> : null}
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
function CutNote({ view, value, at, left, right }: Cut & { view: PlotView }) {
  const { words, width, place, axis } = view;
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

function usePrepared(height: number, view: PlotView, data: SeriesResult | null, region: LaneRegion) {
  const { width, range, grid, palette } = view;
  return useMemo(() => {
    if (data === null || width <= 0) return null;
    const columns = columnScale(data.window, range, width);
    const series = region === 'total' ? data.total : data.regions[region];
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
    const cut = axis.top < (scale.cut?.value ?? 0) ? cutOf(scale, columns, data) : null;
    const draw: Draw = (surface) => {
      drawFree(surface, marks, palette, frame);
      if (cut !== null) drawCut(surface, cut.left, cut.right, palette);
    };
    return { columns, levels, cut, draw };
  }, [data, region, width, height, range, grid, palette]);
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
