import { useEffect, useId, useMemo, useRef } from 'react';
import type { MomentResult, RegionName } from '../../../app/contract/engine.ts';
import { AxisSwitch } from '../../charts/axis-switch.tsx';
import { EstimatedMark, estimatedCover, useEstimatedFrom } from '../../charts/estimated.tsx';
import { lastOf } from '../../charts/live.ts';
import { cursorWords } from '../../charts/moment-words.ts';
import { AxisRow, CursorLabel, cursorCover } from '../../charts/plot-frame.tsx';
import { type Covered, timeAxis } from '../../charts/time-axis.ts';
import { useCursor } from '../../charts/use-cursor.ts';
import { useWords } from '../../charts/use-words.ts';
import { GUTTER, RIGHT_MARGIN, toPixel } from '../../charts/viewport.ts';
import { usePalette } from '../../design/colours.ts';
import { useActiveDevice, useActiveTrace } from '../../state/active-trace.ts';
import { fullRange, type Range, visibleRange } from '../../state/store.ts';
import { GapSpans } from './gap-spans.tsx';
import { END_WIDTH, lanesOf, layoutLanes, type SetLanes, UNREAD_WIDTH } from './lane-layout.ts';
import { LaneList } from './lane-list.tsx';
import { PlotLayer } from './plot-layer.tsx';
import { type PlotView, type TouchBook, usePlotWindow } from './plot-view.ts';
import { useTimelineOptions } from './timeline-options.ts';
import { UnreadSpan } from './unread-span.tsx';
import { useLaneKeys } from './use-lane-keys.ts';
import type { Damage, TimelineData } from './use-timeline.ts';

interface Props {
  readonly place: (element: HTMLDivElement | null) => void;
  readonly size: { readonly width: number; readonly height: number };
  readonly width: number;
  readonly data: TimelineData;
  readonly mode: 'region' | 'total';
  readonly busiest: RegionName;
  readonly damage: Damage | null;
  /** The window reaches the end of a cut-off capture. */
  readonly isEndVisible: boolean;
  readonly onLiveHeight: (height: number) => void;
}

/** The axis and the lanes, and above them the layer that takes the pointer. */
export function TimelinePlot(props: Props) {
  const { place, size, width, data, mode, busiest, damage, isEndVisible, onLiveHeight } = props;
  const { info, device, axis, cursor, selection } = useActiveTrace();
  const { regions: used, layout, areRequestsKnown } = useActiveDevice();
  const words = useWords();
  const palette = usePalette();
  const options = useTimelineOptions();
  const { moment, position } = useCursor();
  const touches = useRef<TouchBook>(new Map()).current;
  const full = useMemo(() => fullRange(info, device, axis), [info, device, axis]);
  const windowOf = useMemo(
    () =>
      lastOf((range: Range) => {
        const ticks = timeAxis(axis, range, width, { locale: words.locale, event: words.t('axis.event') });
        return { range, ticks, grid: ticks.ticks.map((tick) => tick.x), place: { axis, unit: ticks.unit } };
      }),
    [axis, width, words],
  );
  const view = useMemo(
    (): PlotView => ({
      axis,
      full,
      width,
      now: () => windowOf(visibleRange(info.trace)),
      words,
      palette,
      sites: data.sites,
      used,
      layout,
      areRequestsKnown,
      isBounded: damage !== null,
    }),
    [
      axis,
      full,
      width,
      windowOf,
      info.trace,
      words,
      palette,
      data.sites,
      used,
      layout,
      areRequestsKnown,
      damage,
    ],
  );
  const annotationRows = data.marks.annotations.reduce((rows, one) => Math.max(rows, one.depth + 1), 0);
  const { figures, figure } = data.driver;
  const driver = figures.length === 0 ? 'none' : figure === null ? 'offered' : 'compared';
  const set = useMemo(
    (): SetLanes | null =>
      info.parts.length === 0
        ? null
        : {
            axis,
            driver,
            others: info.devices.flatMap(({ hasClock }, at) =>
              at === device ? [] : [{ device: at, hasClock }],
            ),
          },
    [info, axis, driver, device],
  );
  const lanes = useMemo(() => {
    const isBounded = damage?.extra != null;
    const choice = {
      mode,
      used,
      busiest,
      isBounded,
      layout,
      annotationRows,
      ...(set === null ? {} : { set }),
    };
    return layoutLanes(lanesOf(choice), options.folded, size.height, options.laneScale);
  }, [
    mode,
    used,
    busiest,
    damage,
    layout,
    annotationRows,
    set,
    options.folded,
    options.laneScale,
    size.height,
  ]);
  const height = lanes.reduce((sum, lane) => sum + lane.height, 0);
  const liveHeight = lanes.find((lane) => lane.spec.kind === 'live')?.height ?? 0;
  useEffect(() => onLiveHeight(liveHeight), [liveHeight, onLiveHeight]);
  const keys = useLaneKeys(lanes, data, moment);
  const estimatedFrom = useEstimatedFrom(data.report);
  const help = useId();
  return (
    <div className="timeline">
      <div className="axis-line">
        <AxisSwitch />
        <TimelineAxis
          view={view}
          cursor={cursor}
          moment={moment}
          position={position}
          isEndVisible={isEndVisible}
          estimatedFrom={estimatedFrom}
        />
      </div>
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: one tab stop whose keys move the cursor */}
      {/* biome-ignore-start lint/a11y/useSemanticElements: a fieldset is for fields */}
      <div
        ref={place}
        className="lanes"
        role="group"
        aria-label={words.t('timeline.plot')}
        aria-describedby={help}
        tabIndex={0}
        onKeyDown={keys.onKeyDown}
      >
        {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: until here */}
        {/* biome-ignore-end lint/a11y/useSemanticElements: until here */}
        <div className="lanes-content" style={{ height }}>
          <LaneList
            lanes={lanes}
            view={view}
            touches={touches}
            data={data}
            damage={damage}
            busiest={busiest}
            end={isEndVisible ? { left: width + UNREAD_WIDTH + 8, width: END_WIDTH - 16 } : null}
            activeLane={keys.activeLane}
            selectedSite={selection?.kind === 'site' ? selection.site : null}
          />
          <GapSpans annotations={data.marks.annotations} view={view} />
          {isEndVisible ? <UnreadSpan left={GUTTER + width} width={UNREAD_WIDTH} words={words} /> : null}
          <PlotLayer
            view={view}
            lanes={lanes}
            touches={touches}
            height={height}
            position={position}
            isComplete={data.isComplete}
          />
        </div>
      </div>
      <p id={help} className="unseen" role="status">
        {keys.announcement}
      </p>
    </div>
  );
}

interface AxisProps {
  readonly view: PlotView;
  readonly cursor: number;
  readonly moment: MomentResult | null;
  /** Where the cursor lies on the axis; null until it is known. */
  readonly position: number | null;
  readonly isEndVisible: boolean;
  readonly estimatedFrom: number | null;
}

function TimelineAxis({ view, cursor, moment, position, isEndVisible, estimatedFrom }: AxisProps) {
  const { axis, width, words } = view;
  const { range, place } = usePlotWindow(view);
  const cursorX = position === null || width <= 0 ? null : toPixel(range, width, position);
  const cursorText = cursorWords(words, place, cursor, moment);
  const margin = isEndVisible ? 0 : RIGHT_MARGIN - 4;
  const covered: Covered[] = [
    ...cursorCover(cursorText, cursorX, width, margin),
    ...estimatedCover(words.t('timeline.estimated'), range, width, estimatedFrom),
  ];
  const ticks = timeAxis(axis, range, width, { locale: words.locale, event: words.t('axis.event') }, covered);
  return (
    <AxisRow axis={ticks} width={width}>
      {estimatedFrom === null ? null : (
        <EstimatedMark
          range={range}
          width={width}
          from={estimatedFrom}
          covered={cursorCover(cursorText, cursorX, width, margin)}
        />
      )}
      {cursorX === null ? null : <CursorLabel x={cursorX} width={width} text={cursorText} margin={margin} />}
      {isEndVisible ? (
        <>
          <span className="axis-note axis-note-caution" style={{ left: width, width: UNREAD_WIDTH }}>
            {words.t('damaged.notRead')}
          </span>
          <span className="axis-note" style={{ left: width + UNREAD_WIDTH, width: END_WIDTH }}>
            {words.t('damaged.atTheEnd')}
          </span>
        </>
      ) : null}
    </AxisRow>
  );
}
