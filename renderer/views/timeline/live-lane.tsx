import { useCallback, useMemo } from 'react';
import type { LiveBlocksResult } from '../../../app/contract/engine.ts';
import { Canvas, type Draw, usePicture, usePixelRatio } from '../../charts/canvas.tsx';
import { liveColours } from '../../charts/chart-colours.ts';
import { type ColumnScale, columnAt, columnRange, columnScale } from '../../charts/columns.ts';
import { drawGrid, drawLevels, drawPicture } from '../../charts/draw.ts';
import { liveLines } from '../../charts/hover-lines.ts';
import { useHoverSite } from '../../charts/hover-site.ts';
import { byteAxis, largestVisible } from '../../charts/lane-scale.ts';
import { type Level, levelsOf } from '../../charts/levels.ts';
import { type BandLabel, bandsOf, placeLabels } from '../../charts/live-labels.ts';
import { hitLive, type LiveHit, liveTotals, rasterLive } from '../../charts/live-raster.ts';
import { stretchWords } from '../../charts/moment-words.ts';
import { valueScale } from '../../charts/series-path.ts';
import { siteName } from '../../charts/site-name.ts';
import { measureText } from '../../charts/text-width.ts';
import { inkOn, ownerColour, ownerVariable } from '../../design/colours.ts';
import { LaneFrame } from './lane-frame.tsx';
import type { LaneProps, PlotView } from './plot-view.ts';
import { useTouch } from './use-touch.ts';

interface Props extends LaneProps {
  readonly data: LiveBlocksResult | null;
  /** A selected call site stays emphasised. */
  readonly selectedSite: number | null;
}

const AIR = 14;

/** Every live block, stacked by call site and age. */
export function LiveLane({ lane, view, touches, data, selectedSite }: Props) {
  const { words, width, grid, palette, sites } = view;
  const ratio = usePixelRatio();
  const emphasised = useHoverSite((hover) => hover.site) ?? selectedSite;
  const scaled = useScale(lane.height, view, data);
  const stack = useLivePicture(data, lane.height, ratio, view, emphasised);
  const labels = useLabels(view, data, scaled);
  const hit = useCallback(
    (x: number, y: number): LiveHit | null => {
      if (scaled === null || data === null) return null;
      const column = columnAt(scaled.columns, x);
      const bytes = (scaled.y.bottom - y) / scaled.y.pixelsPerUnit;
      return column === null ? null : hitLive(data, column, bytes);
    },
    [scaled, data],
  );
  useTouch(touches, lane, {
    describe: (x, y) => {
      const found = hit(x, y);
      if (found === null || data === null) return null;
      const where = stretchWords(words, view.place, columnRange(data.window, found.column));
      const swatch = ownerVariable(found.site, sites.length);
      return liveLines(words, found, siteName(words, sites, found.site), swatch, where);
    },
    siteAt: (x, y) => hit(x, y)?.site ?? null,
    blockAt: (x, y) => {
      const found = hit(x, y);
      if (found === null || found.block === null || data === null) return null;
      return { block: found.block, moment: data.moment[found.column] as number };
    },
    momentAt: (x) => {
      const column = scaled === null ? null : columnAt(scaled.columns, x);
      return column === null || data === null ? null : (data.moment[column] as number);
    },
  });
  const draw: Draw = useCallback(
    (surface) => {
      drawGrid(surface, grid, lane.height, palette.colours.grid);
      if (stack === null || scaled === null) return;
      const { columns } = scaled;
      const height = stack.top * scaled.y.pixelsPerUnit;
      drawPicture(
        surface,
        stack.picture,
        columns.left,
        lane.height - height,
        columns.width * stack.picture.width,
        height,
      );
      drawLevels(
        surface,
        scaled.levels.map((level) => level.y),
        width,
        palette.colours.ink,
      );
    },
    [stack, scaled, grid, width, lane.height, palette],
  );
  return (
    <LaneFrame
      lane={lane}
      name={words.t('live.name')}
      caption={words.t(view.isBounded ? 'live.captionKnown' : 'live.caption')}
      levels={scaled?.levels ?? []}
    >
      <Canvas width={width} height={lane.height} draw={draw} />
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
    </LaneFrame>
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

interface Scaled {
  readonly columns: ColumnScale;
  readonly y: ReturnType<typeof valueScale>;
  readonly levels: readonly Level[];
}

function useScale(height: number, view: PlotView, data: LiveBlocksResult | null): Scaled | null {
  const { width, range } = view;
  const totals = useMemo(() => (data === null ? null : liveTotals(data)), [data]);
  return useMemo(() => {
    if (data === null || totals === null || width <= 0) return null;
    const columns = columnScale(data.window, range, width);
    const axis = byteAxis(largestVisible(totals, columns).value, height - AIR);
    const y = valueScale(height, axis.top, AIR);
    return { columns, y, levels: levelsOf(axis, y) };
  }, [data, totals, width, range, height]);
}

/** The raster is made once an answer, at the resolution of the screen; panning and zooming only stretch it. */
function useLivePicture(
  data: LiveBlocksResult | null,
  height: number,
  ratio: number,
  view: PlotView,
  emphasised: number | null,
) {
  const { palette, sites } = view;
  const colours = useMemo(() => liveColours(palette, sites.length), [palette, sites.length]);
  const raster = useMemo(() => {
    if (data === null || height <= 0) return null;
    const whole = { left: 0, width: 1, first: 0, end: data.window.columns };
    const { top } = byteAxis(largestVisible(liveTotals(data), whole).value, height - AIR);
    const rows = Math.max(1, Math.round((height - AIR) * ratio));
    return rasterLive(data, rows, top, colours, emphasised);
  }, [data, height, ratio, colours, emphasised]);
  const picture = usePicture(raster?.pixels ?? null, raster?.width ?? 0, raster?.height ?? 0);
  return useMemo(
    () => (raster === null || picture === null ? null : { picture, top: raster.top }),
    [raster, picture],
  );
}

function useLabels(
  view: PlotView,
  data: LiveBlocksResult | null,
  scaled: Scaled | null,
): readonly BandLabel[] {
  const { width, sites, words } = view;
  return useMemo(() => {
    if (data === null || scaled === null || sites.length === 0) return [];
    const bands = bandsOf(data, scaled.columns, scaled.y, width);
    return placeLabels(bands, width, (site) => siteName(words, sites, site), measureText);
  }, [data, scaled, width, sites, words]);
}
