import { useCallback, useId, useMemo } from 'react';
import { AxisSwitch } from '../../charts/axis-switch.tsx';
import { Canvas, type Draw, usePicture, useSize } from '../../charts/canvas.tsx';
import { columnScale } from '../../charts/columns.ts';
import { drawPicture } from '../../charts/draw.ts';
import { EstimatedMark, estimatedCover, useEstimatedFrom } from '../../charts/estimated.tsx';
import { useHoverSite } from '../../charts/hover-site.ts';
import { rasterMap } from '../../charts/map-raster.ts';
import { cursorWords } from '../../charts/moment-words.ts';
import { AxisRow, CursorLabel, cursorCover } from '../../charts/plot-frame.tsx';
import { timeAxis } from '../../charts/time-axis.ts';
import { useCursor } from '../../charts/use-cursor.ts';
import { useWords } from '../../charts/use-words.ts';
import { GUTTER, RIGHT_MARGIN, toPixel } from '../../charts/viewport.ts';
import { useQuery } from '../../engine/use-query.ts';
import { QueryError } from '../../frame/query-error.tsx';
import { useActiveTrace } from '../../state/active-trace.ts';
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
  const { info, device, axis, range, cursor, selection } = useActiveTrace();
  const words = useWords();
  const [place, size] = useSize<HTMLDivElement>();
  const width = Math.max(0, size.width - GUTTER - RIGHT_MARGIN - STRIP_WIDTH - STRIP_GAP);
  const height = size.height;
  const addresses = useAddresses();
  const look = useMapLook();
  const instant = useInstant(addresses);
  const { cells, isStale, error } = useCells(width, height, addresses?.visible ?? null);
  const { moment, position } = useCursor();
  const hovered = useHoverSite((hover) => hover.site);
  const emphasised = hovered ?? (selection?.kind === 'site' ? selection.site : null);
  const draw = useMapPicture(cells, addresses, look, width, height, emphasised);
  const keys = useMapKeys(addresses, instant, look);
  const report = useQuery('report', { trace: info.trace });
  const estimatedFrom = useEstimatedFrom(report.data?.devices[device] ?? null);
  const cursorX = position === null || width <= 0 ? null : toPixel(range, width, position);
  const help = useId();
  const axisWords = { locale: words.locale, event: words.t('axis.event') };
  const plain = timeAxis(axis, range, width, axisWords);
  const text = cursorWords(words, { axis, unit: plain.unit }, cursor, moment);
  const covered = [
    ...cursorCover(text, cursorX, width, 0),
    ...estimatedCover(words.t('timeline.estimated'), range, width, estimatedFrom),
  ];
  const ticks = timeAxis(axis, range, width, axisWords, covered);
  if (error !== null) {
    return (
      <div className="empty-view">
        <QueryError error={error} />
      </div>
    );
  }
  return (
    <div className="map">
      <div className="axis-line">
        <AxisSwitch />
        <AxisRow axis={ticks} width={width}>
          {estimatedFrom === null ? null : (
            <EstimatedMark
              range={range}
              width={width}
              from={estimatedFrom}
              covered={cursorCover(text, cursorX, width, 0)}
            />
          )}
          {cursorX === null ? null : <CursorLabel x={cursorX} width={width} text={text} margin={0} />}
          <span className="axis-note" style={{ left: width + STRIP_GAP - 10, width: STRIP_WIDTH + 20 }}>
            {words.t('map.atCursor')}
          </span>
        </AxisRow>
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
              <Canvas width={width} height={height} draw={draw} />
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
              cells={cells}
              isComplete={cells !== null && !isStale}
              look={look}
              width={width}
              height={height}
              cursorX={cursorX}
              unit={plain.unit}
            />
          </>
        )}
      </div>
      <MapLegend cells={cells} addresses={addresses} look={look} width={width} height={height} />
      <p id={help} className="unseen" role="status">
        {keys.announcement}
      </p>
    </div>
  );
}

/** The raster is made once an answer; panning and zooming stretch it until the next one comes. */
function useMapPicture(
  cells: ReturnType<typeof useCells>['cells'],
  addresses: Addresses | null,
  look: MapLook,
  width: number,
  height: number,
  emphasised: number | null,
): Draw {
  const { range } = useActiveTrace();
  const mode = useMapOptions((options) => options.mode);
  const shown = mode === 'owner' ? emphasised : null;
  const pixels = useMemo(
    () => (cells === null ? null : rasterMap(cells, mode, look.colours, shown)),
    [cells, mode, look.colours, shown],
  );
  const picture = usePicture(pixels, cells?.window.columns ?? 0, cells?.rows ?? 0);
  const visible = addresses?.visible;
  const sunken = look.palette.colours.sunken;
  return useCallback(
    (surface) => {
      surface.fillStyle = sunken;
      surface.fillRect(0, 0, width, height);
      if (picture === null || cells === null || visible === undefined) return;
      const columns = columnScale(cells.window, range, width);
      const perByte = height / (visible.to - visible.from);
      const top = (cells.fromOffset - visible.from) * perByte;
      const tall = (cells.toOffset - cells.fromOffset) * perByte;
      drawPicture(surface, picture, columns.left, top, columns.width * cells.window.columns, tall);
    },
    [picture, cells, visible, range, width, height, sunken],
  );
}
