import { useId, useMemo } from 'react';
import type { MapResult, MomentResult } from '../../../app/contract/engine.ts';
import { AxisSwitch } from '../../charts/axis-switch.tsx';
import { type Draw, MovingCanvas, pictureMaker, useSize } from '../../charts/canvas.tsx';
import { columnScale } from '../../charts/columns.ts';
import { drawPicture } from '../../charts/draw.ts';
import { EstimatedMark, estimatedCover, useEstimatedFrom } from '../../charts/estimated.tsx';
import { useHoverSite } from '../../charts/hover-site.ts';
import { lastOf, useVisibleRange } from '../../charts/live.ts';
import { rasterMap } from '../../charts/map-raster.ts';
import { cursorWords } from '../../charts/moment-words.ts';
import { AxisRow, CursorLabel, cursorCover } from '../../charts/plot-frame.tsx';
import { axisUnit, timeAxis, wantedTicks } from '../../charts/time-axis.ts';
import { useCursor } from '../../charts/use-cursor.ts';
import { useWords } from '../../charts/use-words.ts';
import { GUTTER, RIGHT_MARGIN, toPixel } from '../../charts/viewport.ts';
import { useQuery } from '../../engine/use-query.ts';
import { QueryError } from '../../frame/query-error.tsx';
import { useActiveTrace } from '../../state/active-trace.ts';
import { type Range, visibleRange } from '../../state/store.ts';
import { AddressGutter } from './address-gutter.tsx';
import { InstantColumn } from './instant-column.tsx';
import { MapLayer } from './map-layer.tsx';
import { MapLegend } from './map-legend.tsx';
import { useMapOptions } from './map-options.ts';
import { STRIP_GAP, STRIP_WIDTH } from './map-size.ts';
import { type Addresses, type MapLook, useAddresses, useCells, useInstant, useMapLook } from './use-map.ts';
import { useMapKeys } from './use-map-keys.ts';

/** Addresses over time, and right of them the segments and blocks at the cursor on the same axis. */
export function MapPlot() {
  const { info, device, cursor, selection } = useActiveTrace();
  const words = useWords();
  const [place, size] = useSize<HTMLDivElement>();
  const width = Math.max(0, size.width - GUTTER - RIGHT_MARGIN - STRIP_WIDTH - STRIP_GAP);
  const height = size.height;
  const addresses = useAddresses();
  const look = useMapLook();
  const instant = useInstant(addresses);
  const cells = useCells(width, height, addresses?.visible ?? null);
  const { moment, position } = useCursor();
  const hovered = useHoverSite((hover) => hover.site);
  const emphasised = hovered ?? (selection?.kind === 'site' ? selection.site : null);
  const picture = useMapPicture(cells.newest, addresses, look, width, height, emphasised);
  const keys = useMapKeys(addresses, instant, look);
  const report = useQuery('report', { trace: info.trace });
  const estimatedFrom = useEstimatedFrom(report.data?.devices[device] ?? null);
  const help = useId();
  if (cells.error !== null) {
    return (
      <div className="empty-view">
        <QueryError error={cells.error} />
      </div>
    );
  }
  return (
    <div className="map">
      <div className="axis-line">
        <AxisSwitch />
        <MapAxis
          width={width}
          cursor={cursor}
          moment={moment}
          position={position}
          estimatedFrom={estimatedFrom}
        />
      </div>
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: one tab stop whose keys walk the blocks */}
      {/* biome-ignore-start lint/a11y/useSemanticElements: a fieldset is for fields */}
      <div
        ref={place}
        className="map-body"
        role="group"
        aria-label={words.t('map.plot')}
        aria-describedby={help}
        tabIndex={0}
      >
        {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: until here */}
        {/* biome-ignore-end lint/a11y/useSemanticElements: until here */}
        {addresses === null ? null : (
          <>
            <AddressGutter addresses={addresses} height={height} width={width} />
            <div className="map-cells" style={{ left: GUTTER, width, height }}>
              <MovingCanvas width={width} height={height} picture={picture} />
            </div>
            <InstantColumn
              left={GUTTER + width + STRIP_GAP}
              width={STRIP_WIDTH}
              height={height}
              addresses={addresses}
              instant={instant}
              look={look}
              emphasised={emphasised}
            />
            <MapLayer
              addresses={addresses}
              cells={cells.newest}
              isComplete={cells.isComplete}
              look={look}
              width={width}
              height={height}
              position={position}
            />
          </>
        )}
      </div>
      <MapLegend cells={cells.data} addresses={addresses} look={look} width={width} height={height} />
      <p id={help} className="unseen" role="status">
        {keys.announcement}
      </p>
    </div>
  );
}

interface AxisProps {
  readonly width: number;
  readonly cursor: number;
  readonly moment: MomentResult | null;
  /** Where the cursor lies on the axis; null until it is known. */
  readonly position: number | null;
  readonly estimatedFrom: number | null;
}

function MapAxis({ width, cursor, moment, position, estimatedFrom }: AxisProps) {
  const { axis } = useActiveTrace();
  const range = useVisibleRange();
  const words = useWords();
  const unit = axisUnit(axis, range, wantedTicks(width));
  const cursorX = position === null || width <= 0 ? null : toPixel(range, width, position);
  const text = cursorWords(words, { axis, unit }, cursor, moment);
  const label = cursorCover(text, cursorX, width, 0);
  const covered = [...label, ...estimatedCover(words.t('timeline.estimated'), range, width, estimatedFrom)];
  const axisWords = { locale: words.locale, event: words.t('axis.event') };
  return (
    <AxisRow axis={timeAxis(axis, range, width, axisWords, covered)} width={width}>
      {estimatedFrom === null ? null : (
        <EstimatedMark range={range} width={width} from={estimatedFrom} covered={label} />
      )}
      {cursorX === null ? null : <CursorLabel x={cursorX} width={width} text={text} margin={0} />}
      <span className="axis-note" style={{ left: width + STRIP_GAP - 10, width: STRIP_WIDTH + 20 }}>
        {words.t('map.atCursor')}
      </span>
    </AxisRow>
  );
}

/** The raster is made once an answer; panning and zooming stretch it until the next one comes. */
function useMapPicture(
  cells: () => MapResult | null,
  addresses: Addresses | null,
  look: MapLook,
  width: number,
  height: number,
  emphasised: number | null,
): () => Draw | null {
  const { trace } = useActiveTrace().info;
  const mode = useMapOptions((options) => options.mode);
  const shown = mode === 'owner' ? emphasised : null;
  const { colours } = look;
  const pictureOf = useMemo(() => {
    const make = pictureMaker();
    return lastOf((answer: MapResult) =>
      make(rasterMap(answer, mode, colours, shown), answer.window.columns, answer.rows),
    );
  }, [mode, colours, shown]);
  const visible = addresses?.visible;
  const sunken = look.palette.colours.sunken;
  const draw = useMemo(
    () =>
      lastOf(
        (range: Range, answer: MapResult | null): Draw =>
          (surface) => {
            surface.fillStyle = sunken;
            surface.fillRect(0, 0, width, height);
            if (answer === null || visible === undefined) return;
            const columns = columnScale(answer.window, range, width);
            const perByte = height / (visible.to - visible.from);
            const top = (answer.fromOffset - visible.from) * perByte;
            const tall = (answer.toOffset - answer.fromOffset) * perByte;
            const long = columns.width * answer.window.columns;
            drawPicture(surface, pictureOf(answer), columns.left, top, long, tall);
          },
      ),
    [pictureOf, visible, width, height, sunken],
  );
  return () => draw(visibleRange(trace), cells());
}
