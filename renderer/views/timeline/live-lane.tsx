import { useMemo } from 'react';
import type { LiveBlocksResult } from '../../../app/contract/engine.ts';
import { type Draw, MovingCanvas, usePixelRatio } from '../../charts/canvas.tsx';
import { liveColours } from '../../charts/chart-colours.ts';
import { type ColumnScale, columnAt, columnRange, columnScale } from '../../charts/columns.ts';
import { drawGrid, drawLevels, drawPicture } from '../../charts/draw.ts';
import { requestDrawing } from '../../charts/frame-loop.ts';
import { liveLines } from '../../charts/hover-lines.ts';
import { useHoverSite } from '../../charts/hover-site.ts';
import { byteAxis, largestVisible } from '../../charts/lane-scale.ts';
import { type Level, levelsOf, NO_LEVELS } from '../../charts/levels.ts';
import { lastOf, useLagging } from '../../charts/live.ts';
import { type BandLabel, bandsOf, placeLabels } from '../../charts/live-labels.ts';
import { hitLive, type LiveHit, liveTotals } from '../../charts/live-raster.ts';
import { LiveStack, type Stack } from '../../charts/live-stack.ts';
import { stretchWords } from '../../charts/moment-words.ts';
import { valueScale } from '../../charts/series-path.ts';
import { siteName } from '../../charts/site-name.ts';
import { measureText } from '../../charts/text-width.ts';
import { inkOn, ownerColour, ownerVariable } from '../../design/colours.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import { LaneFrame } from './lane-frame.tsx';
import type { LaneProps, PlotView, PlotWindow } from './plot-view.ts';
import { useTouch } from './use-touch.ts';

interface Props extends LaneProps {
  readonly data: () => LiveBlocksResult | null;
  /** A selected call site stays emphasised. */
  readonly selectedSite: number | null;
}

const AIR = 14;

/** Every live block, stacked by call site and age. */
export function LiveLane({ lane, view, touches, data, selectedSite }: Props) {
  const { words, width, sites } = view;
  const emphasised = useHoverSite((hover) => hover.site) ?? selectedSite;
  const scaled = useScale(lane.height, view, data);
  const draw = useStack(lane.height, view, scaled, emphasised);
  const hit = (x: number, y: number): LiveHit | null => {
    const now = scaled();
    const column = now === null ? null : columnAt(now.columns, x);
    if (now === null || column === null) return null;
    return hitLive(now.answer, column, (now.y.bottom - y) / now.y.pixelsPerUnit);
  };
  const momentOf = (column: number) => scaled()?.answer.moment[column] as number;
  useTouch(touches, lane, {
    describe: (x, y) => {
      const found = hit(x, y);
      const window = scaled()?.answer.window;
      if (found === null || window === undefined) return null;
      const where = stretchWords(words, view.now().place, columnRange(window, found.column));
      const swatch = ownerVariable(found.site, sites.length);
      return liveLines(words, found, siteName(words, sites, found.site), swatch, where);
    },
    siteAt: (x, y) => hit(x, y)?.site ?? null,
    blockAt: (x, y) => {
      const found = hit(x, y);
      if (found === null || found.block === null) return null;
      return { block: found.block, moment: momentOf(found.column) };
    },
    momentAt: (x) => {
      const now = scaled();
      const column = now === null ? null : columnAt(now.columns, x);
      return column === null ? null : momentOf(column);
    },
  });
  return (
    <LaneFrame
      lane={lane}
      name={words.t('live.name')}
      caption={words.t(view.isBounded ? 'live.captionKnown' : 'live.caption')}
      levels={() => scaled()?.levels ?? NO_LEVELS}
    >
      <MovingCanvas width={width} height={lane.height} picture={draw} />
      <Labels view={view} scaled={scaled} emphasised={emphasised} />
    </LaneFrame>
  );
}

interface LabelsProps {
  readonly view: PlotView;
  readonly scaled: () => Scaled | null;
  readonly emphasised: number | null;
}

function Labels({ view, scaled, emphasised }: LabelsProps) {
  const { width, sites, words } = view;
  const now = useLagging(scaled);
  const labels = useMemo(() => {
    if (now === null || sites.length === 0) return [];
    const bands = bandsOf(now.answer, now.columns, now.y, width);
    return placeLabels(bands, width, (site) => siteName(words, sites, site), measureText);
  }, [now, width, sites, words]);
  return (
    <div className="band-labels" aria-hidden="true">
      {labels.map((label) => (
        <Label
          key={label.site}
          label={label}
          view={view}
          isFaded={emphasised !== null && emphasised !== label.site}
        />
      ))}
    </div>
  );
}

function Label({ label, view, isFaded }: { label: BandLabel; view: PlotView; isFaded: boolean }) {
  const { palette, sites } = view;
  const style = { left: label.x, top: label.y };
  if (label.place === 'inside') {
    const ink = isFaded ? palette.colours['ink-2'] : inkOn(ownerColour(palette, label.site, sites.length));
    return (
      <span className="band-label" style={{ ...style, color: ink }}>
        {label.text}
      </span>
    );
  }
  return (
    <span className="band-label-beside" style={style}>
      <span className="swatch" style={{ background: ownerVariable(label.site, sites.length) }} />
      {label.text}
    </span>
  );
}

/** An answer where it lies in this frame. */
interface Scaled {
  readonly answer: LiveBlocksResult;
  readonly columns: ColumnScale;
  readonly y: ReturnType<typeof valueScale>;
  readonly levels: readonly Level[];
}

function useScale(height: number, view: PlotView, data: () => LiveBlocksResult | null): () => Scaled | null {
  const { width } = view;
  const scale = useMemo(() => {
    const totalsOf = lastOf(liveTotals);
    return lastOf(({ range }: PlotWindow, answer: LiveBlocksResult | null) => {
      if (answer === null || width <= 0) return null;
      const columns = columnScale(answer.window, range, width);
      const axis = byteAxis(largestVisible(totalsOf(answer), columns).value, height - AIR);
      const y = valueScale(height, axis.top, AIR);
      return { answer, columns, y, levels: levelsOf(axis, y) };
    });
  }, [width, height]);
  return () => scale(view.now(), data());
}

/** The raster is made once an answer, at the resolution of the screen; panning and zooming only stretch it. */
function useStack(
  height: number,
  view: PlotView,
  scaled: () => Scaled | null,
  emphasised: number | null,
): () => Draw | null {
  const { palette, sites, width } = view;
  const { range: rested } = useActiveTrace();
  const ratio = usePixelRatio();
  const colours = useMemo(() => liveColours(palette, sites.length), [palette, sites.length]);
  const stack = useMemo(
    () => new LiveStack(Math.max(1, Math.round((height - AIR) * ratio)), height - AIR, colours),
    [height, ratio, colours],
  );
  const draw = useMemo(
    () =>
      lastOf(
        ({ range, grid }: PlotWindow, now: Scaled | null, shown: Stack | null): Draw =>
          (surface) => {
            drawGrid(surface, grid, height, palette.colours.grid);
            if (now === null || shown === null) return;
            const { picture, top, answer } = shown;
            const columns = columnScale(answer.window, range, width);
            const tall = top * now.y.pixelsPerUnit;
            drawPicture(surface, picture, columns.left, height - tall, columns.width * picture.width, tall);
            const ys = now.levels.map((level) => level.y);
            drawLevels(surface, ys, width, palette.colours.ink);
          },
      ),
    [height, width, palette],
  );
  return () => {
    const now = scaled();
    const { range } = view.now();
    const isMoving = range.from !== rested.from || range.to !== rested.to;
    const shown = now === null ? null : stack.next(now.answer, emphasised, range, isMoving);
    if (now !== null && shown?.answer !== now.answer) requestDrawing();
    return draw(view.now(), now, shown);
  };
}
