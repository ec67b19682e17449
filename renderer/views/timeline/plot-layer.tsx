import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { onDrawing } from '../../charts/frame-loop.ts';
import { useHoverSite } from '../../charts/hover-site.ts';
import { useLive } from '../../charts/live.ts';
import { CursorLine } from '../../charts/plot-frame.tsx';
import { nearestEvent, snapRange } from '../../charts/snap.ts';
import { isSameLines, Tooltip } from '../../charts/tooltip.tsx';
import { useAxisOfTrace } from '../../charts/use-cursor.ts';
import { type Place, useGestures } from '../../charts/use-gestures.ts';
import {
  GUTTER,
  RIGHT_MARGIN,
  smallestSpan,
  toPixel,
  toValue,
  windowAround,
  zoomAt,
} from '../../charts/viewport.ts';
import { useActiveTrace, useUpdateTrace } from '../../state/active-trace.ts';
import type { Range } from '../../state/store.ts';
import type { Lane } from './lane-layout.ts';
import { type LaneTouch, type PlotView, type TouchBook, usePlotWindow } from './plot-view.ts';

interface Props {
  readonly view: PlotView;
  readonly lanes: readonly Lane[];
  readonly touches: TouchBook;
  readonly height: number;
  /** Where the cursor lies on the axis; null until it is known. */
  readonly position: number | null;
  /** The picture is that of the visible window, not an older one stretched. */
  readonly isComplete: () => boolean;
}

/** How much a double-click on nothing in particular zooms. */
const DOUBLE_CLICK_ZOOM = 0.25;

/** Above the lanes: it takes the pointer for all of them and draws cursor, crosshair, brush and tooltip. */
export function PlotLayer({ view, lanes, touches, height, position, isComplete }: Props) {
  const target = useRef<HTMLDivElement>(null);
  const [hover, setHover] = useState<Place | null>(null);
  const [brush, setBrush] = useState<Range | null>(null);
  const { selection } = useActiveTrace();
  const actions = useActions(view);
  const { full, width, axis } = view;
  const rangeNow = () => view.now().range;
  const smallest = smallestSpan(axis, full);
  const touchAt = (place: Place) => touchUnder(lanes, touches, place);
  useEmphasis(hover === null ? null : touchAt(hover));
  useGestures(target, {
    width,
    range: rangeNow,
    full,
    smallest,
    margin: RIGHT_MARGIN,
    onRange: actions.setRange,
    onHover: setHover,
    onClick: (place) => actions.click(place, touchAt(place)),
    onDoubleClick: (place) => {
      const found = touchAt(place);
      const stretch = found?.touch.stretchAt?.(place.x, place.y - found.top) ?? null;
      const range = rangeNow();
      const pivot = toValue(range, width, place.x);
      actions.setRange(
        stretch === null
          ? zoomAt(range, pivot, DOUBLE_CLICK_ZOOM, full, smallest)
          : windowAround(stretch, full, smallest),
      );
    },
    onDrag: (from, to, end) => {
      const [low, high] = [from.x, to.x].map((x) =>
        toValue(rangeNow(), width, Math.min(Math.max(x, 0), width)),
      ) as [number, number];
      const brushed = { from: Math.min(low, high), to: Math.max(low, high) };
      setBrush(end === null ? brushed : null);
      if (end !== null) actions.brush(brushed, end.isFree);
    },
  });
  useLayoutEffect(() => {
    const tell = () => {
      if (target.current !== null) target.current.dataset['complete'] = String(isComplete());
    };
    tell();
    return onDrawing(tell);
  });
  const shown = brush ?? (selection?.kind === 'range' ? selection.range : null);
  return (
    <div
      ref={target}
      className="plot-layer"
      data-chart="timeline"
      style={{ left: GUTTER, width: width + RIGHT_MARGIN, height }}
    >
      {shown === null ? null : <BrushMark range={shown} view={view} />}
      {position === null || width <= 0 ? null : <MovingCursor position={position} view={view} />}
      {hover === null || brush !== null ? null : <HoverMarks hover={hover} touchAt={touchAt} view={view} />}
    </div>
  );
}

interface Found {
  readonly touch: LaneTouch;
  readonly top: number;
}

function touchUnder(
  lanes: readonly Lane[],
  touches: TouchBook,
  place: Place,
): (Found & { place: Place }) | null {
  const lane = lanes.find((one) => place.y >= one.top && place.y < one.top + one.height);
  const touch = lane === undefined ? undefined : touches.get(lane.id);
  return lane === undefined || touch === undefined ? null : { touch, top: lane.top, place };
}

/** The call site under the pointer, told to every picture. */
function useEmphasis(found: (Found & { place: Place }) | null): void {
  const setSite = useHoverSite((state) => state.setSite);
  const site = found?.touch.siteAt?.(found.place.x, found.place.y - found.top) ?? null;
  useEffect(() => {
    setSite(site);
    return () => setSite(null);
  }, [site, setSite]);
}

function MovingCursor({ position, view }: { position: number; view: PlotView }) {
  const { range } = usePlotWindow(view);
  return <CursorLine x={toPixel(range, view.width, position)} width={view.width} />;
}

interface HoverProps {
  readonly hover: Place;
  readonly touchAt: (place: Place) => Found | null;
  readonly view: PlotView;
}

/** What is under the pointer changes with the window and with every answer. */
function HoverMarks({ hover, touchAt, view }: HoverProps) {
  const { width } = view;
  const lines = useLive(() => {
    const found = touchAt(hover);
    return found?.touch.describe(hover.x, hover.y - found.top) ?? null;
  }, isSameLines);
  return (
    <>
      <div className="crosshair" style={{ left: hover.x }} />
      {lines === null ? null : <Tooltip lines={lines} x={hover.x} y={hover.y} width={width + 12} />}
    </>
  );
}

function BrushMark({ range, view }: { range: Range; view: PlotView }) {
  const visible = usePlotWindow(view).range;
  const left = Math.max(-2, toPixel(visible, view.width, range.from));
  const right = Math.min(view.width + 2, toPixel(visible, view.width, range.to));
  return right <= left ? null : <div className="brush" style={{ left, width: right - left }} />;
}

/** What the pointer changes. */
function useActions(view: PlotView) {
  const update = useUpdateTrace();
  const on = useAxisOfTrace();
  return {
    setRange: (range: Range) => update({ range }),
    click: (place: Place, found: Found | null) => {
      const y = place.y - (found?.top ?? 0);
      const block = found?.touch.blockAt?.(place.x, y) ?? null;
      if (block !== null) {
        update({ selection: { kind: 'block', block: block.block }, cursor: block.moment });
        return;
      }
      const site = found?.touch.siteAt?.(place.x, y) ?? null;
      if (site !== null) update({ selection: { kind: 'site', site } });
      const moment = found?.touch.momentAt?.(place.x, y) ?? null;
      if (moment !== null) update({ cursor: moment });
      else
        void nearestEvent(on, toValue(view.now().range, view.width, place.x)).then((cursor) =>
          update({ cursor }),
        );
    },
    brush: (range: Range, isFree: boolean) => {
      const select = (chosen: Range) => update({ selection: { kind: 'range', range: chosen } });
      if (isFree) select(range);
      else void snapRange(on, range).then(select);
    },
  };
}
