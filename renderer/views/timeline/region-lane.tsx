import { type ReactNode, useMemo } from 'react';

import type { RegionName, RegionSeries, SeriesResult } from '../../../app/contract/engine.ts';
import { MovingCanvas } from '../../charts/canvas.tsx';
import { type ColumnScale, columnAt, columnRange, columnScale } from '../../charts/columns.ts';
import { regionLines } from '../../charts/hover-lines.ts';
import { byteAxis, largestVisible } from '../../charts/lane-scale.ts';
import { levelsOf, NO_LEVELS } from '../../charts/levels.ts';
import { lastOf, useLive } from '../../charts/live.ts';
import { stretchWords } from '../../charts/moment-words.ts';
import { drawRegion, drawTotal } from '../../charts/pictures.ts';
import { drawSteps } from '../../charts/pixel-surface.ts';
import { regionCaption, toldApartBy } from '../../charts/region-caption.ts';
import {
  type Path,
  prepareRegion,
  type RegionMarks,
  stepCount,
  stepPath,
  type ValueScale,
  valueScale,
} from '../../charts/series-path.ts';
import { useActiveDevice, useActiveTrace } from '../../state/active-trace.ts';
import { LaneFrame, type LegendKey, LegendList } from './lane-frame.tsx';
import type { LaneRegion } from './lane-layout.ts';
import type { LaneProps, PlotView, PlotWindow } from './plot-view.ts';
import { useTouch } from './use-touch.ts';

interface Props extends LaneProps {
  readonly data: () => SeriesResult | null;
  readonly region: LaneRegion;
  readonly isMain: boolean;
  /** Of another device's lane: its name, and what stands in place of the legend. */
  readonly title?: string;
  /** Bytes that the scale reaches at least, so that lanes of several devices compare. */
  readonly reach?: number;
  readonly legend?: ReactNode;
}

/** Room above the highest value. */
const AIR = 10;
const LEGEND_FROM = 132;
const NO_PATH: Path = new Float64Array(0);

/** Active, requested and reserved bytes of a region, or of all of them stacked; the hatch between is free. */
export function RegionLane({ lane, view, touches, data, region, isMain, title, reach, legend }: Props) {
  const { words, layout, areRequestsKnown } = view;
  const { info } = useActiveTrace();
  const active = useActiveDevice();
  const caption =
    region === 'total'
      ? words.t('region.totalCaption')
      : regionCaption(words, region, isMain, toldApartBy(info.format, active));
  const prepared = usePrepared(lane.height, view, data, region, reach ?? 0);
  useTouch(touches, lane, {
    describe: (x) => {
      const now = prepared();
      const column = now === null ? null : columnAt(now.columns, x);
      if (column === null || now === null) return null;
      const where = stretchWords(words, view.now().place, columnRange(now.window, column));
      return regionLines(words, layout, now.series, column, where);
    },
  });
  const hasPending = useLive(() => prepared()?.marks.pending != null);
  const hasSegments = layout === 'segments';
  const items: LegendKey[] = [
    ...(hasSegments ? (['reserved'] as const) : []),
    'active',
    ...(areRequestsKnown ? (['requested'] as const) : []),
    ...(hasSegments ? (['free'] as const) : []),
    ...(hasPending ? (['pending'] as const) : []),
  ];
  return (
    <LaneFrame
      lane={lane}
      name={title ?? words.t(`region.${region}`)}
      {...(region === 'total' ? {} : { swatch: `fill-${region}` })}
      {...(title === undefined ? { caption } : { isQuiet: true })}
      levels={() => prepared()?.levels ?? NO_LEVELS}
      legend={
        legend ??
        (lane.height >= LEGEND_FROM ? (
          <LegendList items={items} region={region} word={(key) => words.t(`legend.${key}`)} />
        ) : null)
      }
    >
      <MovingCanvas width={view.width} height={lane.height} picture={() => prepared()?.draw ?? null} />
    </LaneFrame>
  );
}

function seriesOf(data: SeriesResult, region: LaneRegion): RegionSeries {
  return region === 'total' ? data.total : data.regions[region];
}

function usePrepared(
  height: number,
  view: PlotView,
  data: () => SeriesResult | null,
  region: LaneRegion,
  reach: number,
) {
  const { width, palette, used, areRequestsKnown } = view;
  const prepare = useMemo(
    () =>
      lastOf((now: PlotWindow, answer: SeriesResult | null) => {
        const { range, grid } = now;
        if (answer === null || width <= 0) return null;
        const series = seriesOf(answer, region);
        const columns = columnScale(answer.window, range, width);
        const largest = Math.max(reach, largestVisible(series.reserved.max, columns).value);
        const axis = byteAxis(largest, height - AIR);
        const y = valueScale(height, axis.top, AIR);
        const levels = levelsOf(axis, y);
        const frame = { width, height, grid, levels: levels.map((level) => level.y) };
        const drawn = prepareRegion(series, columns, y);
        const marks = areRequestsKnown ? drawn : { ...drawn, requested: NO_PATH };
        const stack = region === 'total' ? stackOf(answer, used, columns, y) : null;
        const draw = drawSteps(stepsOf(marks), (surface, ratio) =>
          region === 'total' || stack !== null
            ? drawTotal(surface, ratio, marks, stack ?? [], palette, frame)
            : drawRegion(surface, ratio, marks, region, palette, frame),
        );
        return { window: answer.window, series, columns, levels, marks, draw };
      }),
    [region, width, height, palette, used, areRequestsKnown, reach],
  );
  return () => prepare(view.now(), data());
}

function stepsOf({ reserved, activeVaried, active, reservedVaried, requested }: RegionMarks): number {
  return stepCount(
    reserved.upper,
    reserved.lower,
    activeVaried.lower,
    active,
    reservedVaried?.lower,
    requested,
  );
}

const STACK_ORDER: readonly RegionName[] = ['immediate', 'pooled', 'virtual'];

/** Active bytes of the regions on top of each other; never higher than their sum really was. */
function stackOf(
  data: SeriesResult,
  used: readonly RegionName[],
  columns: ColumnScale,
  y: ValueScale,
): { region: RegionName; upTo: Path }[] {
  const total = data.total.active.max;
  const sums = new Float64Array(total.length);
  const regions = STACK_ORDER.filter((region) => used.includes(region));
  return regions.map((region, position) => {
    const active = data.regions[region].active.max;
    for (let column = 0; column < sums.length; column++) {
      sums[column] = Math.min(total[column] as number, (sums[column] as number) + (active[column] as number));
    }
    const isTop = position === regions.length - 1;
    return { region, upTo: stepPath(isTop ? total : sums, columns, y) };
  });
}
