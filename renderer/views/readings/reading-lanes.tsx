import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { CounterInfo } from '../../../app/contract/live.ts';
import { AxisRow } from '../../charts/plot-frame.tsx';
import { SampledLane } from '../../charts/sampled-lane.tsx';
import { largestKnown } from '../../charts/sampled-path.ts';
import { timeAxis } from '../../charts/time-axis.ts';
import { useGestures } from '../../charts/use-gestures.ts';
import { useWords } from '../../charts/use-words.ts';
import { GUTTER, RIGHT_MARGIN, smallestSpan, toPixel } from '../../charts/viewport.ts';
import { useQuery } from '../../engine/use-query.ts';
import { useActiveTrace, useUpdateTrace } from '../../state/active-trace.ts';
import { fullRange } from '../../state/store.ts';
import { useCounterWords } from '../live/counter-words.ts';
import { GpuLanes } from '../live/lanes.tsx';
import { type CounterSeries, laneCounters, useReadings } from './use-readings.ts';
import { useTimeRange } from './use-time-range.ts';

interface ReadingLanesProps {
  readonly counters: readonly CounterInfo[];
  readonly group: string;
  readonly width: number;
}

/** The lanes of the Live view over a recording; counters of other names have a lane each. */
export function ReadingLanes({ counters, group, width }: ReadingLanesProps) {
  const { t } = useTranslation();
  const { info } = useActiveTrace();
  const { range, isFixed } = useTimeRange();
  const update = useUpdateTrace();
  const words = useWords();
  const plot = useRef<HTMLDivElement>(null);
  const full = fullRange(info, 0, 'time');
  const { data } = useQuery('counters', { trace: info.trace });
  const readings = useReadings(counters, group, range, Math.min(width, 2000));
  useGestures(plot, {
    width,
    range: () => range,
    full,
    smallest: smallestSpan('time', full),
    margin: RIGHT_MARGIN,
    onRange: (next) => (isFixed ? undefined : update({ range: next })),
    onHover: () => {},
    onClick: () => {},
    onDoubleClick: () => (isFixed ? undefined : update({ range: full })),
    onDrag: () => {},
  });
  const axis = timeAxis('time', range, width, { locale: words.locale, event: words.t('axis.event') });
  const marks = (data?.marks ?? [])
    .filter(({ kind, group: of }) => isDrawn(kind) && (of === null || of === group))
    .map((mark) => toPixel(range, width, mark.time))
    .filter((x) => x >= 0 && x <= width);
  const { hidden } = laneCounters(counters, group);
  const isGpu = readings !== null && Object.keys(readings.gpu).length > 0;
  return (
    <>
      <AxisRow axis={axis} width={width} />
      {isGpu ? <GpuLanes series={readings.gpu} width={width} marks={marks} slowdown={null} /> : null}
      {readings?.others.map((one) => (
        <CounterLane key={one.counter.name} series={one} width={width} marks={marks} />
      ))}
      {hidden === 0 ? null : (
        <p className="small quiet readings-hidden">{t('live.readings.hidden', { count: hidden })}</p>
      )}
      <div ref={plot} className="readings-plot" style={{ left: GUTTER, width }} />
    </>
  );
}

/** Moments that the user marked, and limits that were reached. */
function isDrawn(kind: string): boolean {
  return kind === 'mark' || kind.endsWith('-limit');
}

const LANE_HEIGHT = 64;

interface CounterLaneProps {
  readonly series: CounterSeries;
  readonly width: number;
  readonly marks: readonly number[];
}

/** From zero to a little above the largest value; what is below zero is drawn at the ground. */
function CounterLane({ series: { counter, columns }, width, marks }: CounterLaneProps) {
  const { t } = useTranslation();
  const words = useCounterWords();
  const highest = largestKnown(columns.max);
  const last = columns.last.findLast((value) => !Number.isNaN(value));
  if (highest === null) return null;
  const top = Math.max(highest * 1.08, Number.MIN_VALUE);
  return (
    <SampledLane
      title={words.name(counter)}
      captions={[t('live.lanes.highest', { bytes: words.value(highest, counter.unit) })]}
      value={last === undefined ? t('live.unknown') : words.value(last, counter.unit)}
      columns={columns}
      width={width}
      height={LANE_HEIGHT}
      top={top}
      levels={[]}
      marks={marks}
    />
  );
}
