import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { MapResult } from '../../../app/contract/engine.ts';
import { addressOf } from '../../charts/address-axis.ts';
import { columnAt, columnScale } from '../../charts/columns.ts';
import { onDrawing } from '../../charts/frame-loop.ts';
import { useHoverSite } from '../../charts/hover-site.ts';
import { useLive, useVisibleRange } from '../../charts/live.ts';
import { cellMix } from '../../charts/map-raster.ts';
import { CursorLine } from '../../charts/plot-frame.tsx';
import { momentAtOrBefore } from '../../charts/snap.ts';
import { axisUnit, wantedTicks } from '../../charts/time-axis.ts';
import { Tooltip } from '../../charts/tooltip.tsx';
import { useAxisOfTrace } from '../../charts/use-cursor.ts';
import { type Place, useGestures } from '../../charts/use-gestures.ts';
import { GUTTER, smallestSpan, toPixel, toValue, zoomAt } from '../../charts/viewport.ts';
import { useActiveTrace, useUpdateTrace } from '../../state/active-trace.ts';
import { fullRange, type Selection, visibleRange } from '../../state/store.ts';
import { type Box, boxZoom } from './box-zoom.ts';
import { useHoverLines } from './hover-cell.ts';
import { STRIP_GAP, STRIP_WIDTH } from './map-size.ts';
import { SelectedOutline } from './selected-outline.tsx';
import type { Addresses, MapLook } from './use-map.ts';

interface Props {
  readonly addresses: Addresses;
  readonly cells: () => MapResult | null;
  /** The cells are those of the visible window, in this frame. */
  readonly isComplete: () => boolean;
  readonly look: MapLook;
  readonly width: number;
  readonly height: number;
  /** Where the cursor lies on the axis; null until it is known. */
  readonly position: number | null;
}

/** A window of fewer bytes shows nothing. */
const SMALLEST_BYTES = 512;

/** Above the map and the strip: takes the pointer, draws cursor, box, outline and tooltip. */
export function MapLayer({ addresses, cells, isComplete, look, width, height, position }: Props) {
  const target = useRef<HTMLDivElement>(null);
  const { info, device, axis } = useActiveTrace();
  const update = useUpdateTrace();
  const [hover, setHover] = useState<Place | null>(null);
  const [box, setBox] = useState<Box | null>(null);
  const full = fullRange(info, device, axis);
  const smallest = smallestSpan(axis, full);
  const rangeNow = () => visibleRange(info.trace);
  const click = useClick(addresses, width, height);
  useEmphasis(cells, addresses, hover, width, height);
  useGestures(target, {
    width,
    range: rangeNow,
    full,
    smallest,
    margin: STRIP_GAP / 2,
    onRange: (next) => update({ range: next }),
    onHover: setHover,
    onClick: click,
    onDoubleClick: (place) => {
      const range = rangeNow();
      if (place.x <= width)
        update({ range: zoomAt(range, toValue(range, width, place.x), 0.25, full, smallest) });
      addresses.setVisible(
        zoomAt(
          addresses.visible,
          toValue(addresses.visible, height, place.y),
          0.25,
          addresses.full,
          SMALLEST_BYTES,
        ),
      );
    },
    onDrag: (from, to, end) => {
      const drawn = { from, to };
      setBox(end === null ? drawn : null);
      if (end === null) return;
      const zoomed = boxZoom(drawn, rangeNow(), addresses.visible, width, height);
      if (zoomed.range !== null)
        update({
          range: { from: zoomed.range.from, to: Math.max(zoomed.range.to, zoomed.range.from + smallest) },
        });
      if (zoomed.addresses !== null) addresses.setVisible(zoomed.addresses);
    },
    onAddressWheel: (y, factor) => {
      const pivot = toValue(addresses.visible, height, y);
      addresses.setVisible(zoomAt(addresses.visible, pivot, factor, addresses.full, SMALLEST_BYTES));
    },
  });
  useLayoutEffect(() => {
    const tell = () => {
      if (target.current !== null) target.current.dataset['complete'] = String(isComplete());
    };
    tell();
    return onDrawing(tell);
  });
  return (
    <div
      ref={target}
      className="plot-layer"
      data-chart="map"
      style={{ left: GUTTER, width: width + STRIP_GAP + STRIP_WIDTH, height }}
    >
      <SelectedOutline addresses={addresses} width={width} height={height} />
      {position === null || width <= 0 ? null : <MovingCursor position={position} width={width} />}
      {box === null ? null : <BoxMark box={box} width={width} height={height} />}
      {hover === null || box !== null ? null : (
        <Hover hover={hover} addresses={addresses} cells={cells} look={look} width={width} height={height} />
      )}
    </div>
  );
}

function MovingCursor({ position, width }: { readonly position: number; readonly width: number }) {
  return <CursorLine x={toPixel(useVisibleRange(), width, position)} width={width} />;
}

function BoxMark({ box, width, height }: { box: Box; width: number; height: number }) {
  const clamp = (value: number, most: number) => Math.min(Math.max(value, 0), most);
  const left = clamp(Math.min(box.from.x, box.to.x), width);
  const top = clamp(Math.min(box.from.y, box.to.y), height);
  const right = clamp(Math.max(box.from.x, box.to.x), width);
  const bottom = clamp(Math.max(box.from.y, box.to.y), height);
  return <div className="map-box" style={{ left, top, width: right - left, height: bottom - top }} />;
}

interface HoverProps {
  readonly hover: Place;
  readonly addresses: Addresses;
  readonly cells: () => MapResult | null;
  readonly look: MapLook;
  readonly width: number;
  readonly height: number;
}

function Hover({ hover, addresses, cells, look, width, height }: HoverProps) {
  const { axis } = useActiveTrace();
  const range = useVisibleRange();
  const unit = axisUnit(axis, range, wantedTicks(width));
  const shown = useLive(cells);
  const lines = useHoverLines({ hover, range, addresses, cells: shown, look, width, height, unit });
  return (
    <>
      {hover.x > width ? null : <div className="crosshair" style={{ left: hover.x }} />}
      <div className="crosshair-across" style={{ top: hover.y }} />
      {lines.length === 0 ? null : (
        <Tooltip lines={lines} x={hover.x} y={hover.y} width={width + STRIP_GAP + STRIP_WIDTH} />
      )}
    </>
  );
}

/** The owner of the cell under the pointer, told to every picture. */
function useEmphasis(
  cells: () => MapResult | null,
  addresses: Addresses,
  hover: Place | null,
  width: number,
  height: number,
): void {
  const { trace } = useActiveTrace().info;
  const setSite = useHoverSite((state) => state.setSite);
  const shown = cells();
  const site =
    hover === null || shown === null
      ? null
      : ownerAt(shown, addresses, visibleRange(trace), hover, width, height);
  useEffect(() => {
    setSite(site);
    return () => setSite(null);
  }, [site, setSite]);
}

function ownerAt(
  cells: MapResult,
  addresses: Addresses,
  range: { from: number; to: number },
  place: Place,
  width: number,
  height: number,
): number | null {
  const column = place.x > width ? null : columnAt(columnScale(cells.window, range, width), place.x);
  const offset = toValue(addresses.visible, height, place.y);
  const row = Math.floor(((offset - cells.fromOffset) / (cells.toOffset - cells.fromOffset)) * cells.rows);
  return column === null ? null : (cellMix(cells, column, row)?.site ?? null);
}

/** A click selects what lies there at that time and moves the cursor; in the strip the time is the cursor's own. */
function useClick(addresses: Addresses, width: number, height: number): (place: Place) => void {
  const { info, cursor } = useActiveTrace();
  const update = useUpdateTrace();
  const on = useAxisOfTrace();
  return (place) => {
    const address = addressOf(addresses.ranges, toValue(addresses.visible, height, place.y));
    if (address === null) return;
    const select = async () => {
      const isStrip = place.x > width;
      const event = isStrip
        ? cursor
        : await momentAtOrBefore(on, toValue(visibleRange(info.trace), width, place.x));
      const hit = await on.engine.call('hit', { trace: on.trace, device: on.device, event, address });
      const selection: Selection | null =
        hit.kind === 'block'
          ? { kind: 'block', block: hit.block }
          : hit.kind === 'hole'
            ? { kind: 'segment', segment: hit.segment }
            : null;
      update({ cursor: event, selection });
    };
    void select();
  };
}
