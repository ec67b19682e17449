import { useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CounterInfo, GpuMetric, SampledColumns, TraceMark } from '../../../app/contract/live.ts';
import { useSize } from '../../charts/canvas.tsx';
import { useVisibleRange } from '../../charts/live.ts';
import { AxisRow } from '../../charts/plot-frame.tsx';
import { largestKnown } from '../../charts/sampled-path.ts';
import { timeAxis } from '../../charts/time-axis.ts';
import { useGestures } from '../../charts/use-gestures.ts';
import { useWords } from '../../charts/use-words.ts';
import { GUTTER, RIGHT_MARGIN, smallestSpan, toPixel } from '../../charts/viewport.ts';
import { Choice } from '../../design/choice.tsx';
import { useQuery } from '../../engine/use-query.ts';
import { QueryError } from '../../frame/query-error.tsx';
import { useFormat } from '../../i18n/use-format.ts';
import { useActiveTrace, useUpdateTrace } from '../../state/active-trace.ts';
import { fullRange, type Range } from '../../state/store.ts';
import { GpuLanes, type SampledSeries } from '../live/lanes.tsx';
import '../../charts/charts.css';
import '../live/live.css';

const LANES: readonly GpuMetric[] = [
  'total',
  'used',
  'reserved',
  'busy',
  'power',
  'power-limit',
  'temperature',
];

/** What a recording of GPUs saw, one GPU at a time. */
export function Readings() {
  const { t } = useTranslation();
  const { info } = useActiveTrace();
  const range = useVisibleRange();
  const format = useFormat();
  const [place, size] = useSize<HTMLDivElement>();
  const labelId = useId();
  const [chosen, setChosen] = useState<string | null>(null);
  const { data, error } = useQuery('counters', { trace: info.trace });
  const width = Math.max(0, Math.floor(size.width - GUTTER - RIGHT_MARGIN));
  const counters = data?.counters ?? [];
  const groups = [...new Set(counters.map((counter) => counter.group))];
  const group = chosen ?? groups[0] ?? '';
  const full = fullRange(info, 0, 'time');
  const series = useLanes(counters, group, range, width);
  const used = useLanes(counters, group, full, 1)?.used;
  const highest = largestKnown(used?.max ?? new Float64Array());
  const duration = format.duration(info.durationNs);
  if (error !== null) return <QueryError error={error} />;
  return (
    <>
      <header className="view-header">
        <div className="view-header-words">
          <h1>{t('live.readings.title')}</h1>
          <p aria-live="polite">
            {highest === null
              ? t('live.readings.sentenceEmpty', { duration })
              : t('live.readings.sentence', { gpu: group, used: format.bytes(highest), duration })}
          </p>
        </div>
        <div className="view-header-controls">
          {groups.length < 2 ? null : (
            <>
              <span id={labelId} className="unseen">
                {t('live.readings.gpu')}
              </span>
              <Choice
                labelId={labelId}
                value={group}
                options={groups.map((value) => ({ value, label: value }))}
                onChange={setChosen}
              />
            </>
          )}
        </div>
      </header>
      <div className="live-content">
        <div className="live-main">
          <div className="live-lanes" ref={place}>
            <Lanes series={series} width={width} full={full} group={group} />
          </div>
        </div>
        <aside className="live-aside" aria-label={t('live.details')}>
          <Processes counters={counters} group={group} />
          <Marks />
          <p className="small quiet">{t('live.readings.needsBlocks')}</p>
        </aside>
      </div>
    </>
  );
}

/** The lanes' counters of a GPU over a window. */
function useLanes(
  counters: readonly CounterInfo[],
  group: string,
  range: Range,
  width: number,
): SampledSeries | null {
  const { info } = useActiveTrace();
  const rows = LANES.flatMap((metric) => {
    const row = counters.findIndex((one) => one.group === group && one.name === metric && !one.isProcess);
    return row < 0 ? [] : [{ metric, row }];
  });
  const args = {
    trace: info.trace,
    counters: rows.map(({ row }) => row),
    from: range.from,
    to: range.to,
    columns: Math.min(Math.max(1, width), 2000),
  };
  const { data } = useQuery('counterSeries', rows.length === 0 || width <= 0 ? null : args);
  if (data === null || data.length !== rows.length) return null;
  return Object.fromEntries(rows.map(({ metric }, at) => [metric, data[at] as SampledColumns]));
}

interface LanesProps {
  readonly series: SampledSeries | null;
  readonly width: number;
  readonly full: Range;
  readonly group: string;
}

function Lanes({ series, width, full, group }: LanesProps) {
  const { info } = useActiveTrace();
  const range = useVisibleRange();
  const update = useUpdateTrace();
  const words = useWords();
  const plot = useRef<HTMLDivElement>(null);
  const { data } = useQuery('counters', { trace: info.trace });
  useGestures(plot, {
    width,
    range: () => range,
    full,
    smallest: smallestSpan('time', full),
    margin: RIGHT_MARGIN,
    onRange: (next) => update({ range: next }),
    onHover: () => {},
    onClick: () => {},
    onDoubleClick: () => update({ range: full }),
    onDrag: () => {},
  });
  const axis = timeAxis('time', range, width, { locale: words.locale, event: words.t('axis.event') });
  const marks = (data?.marks ?? [])
    .filter((mark) => mark.kind === 'mark' && (mark.group === null || mark.group === group))
    .map((mark) => toPixel(range, width, mark.time))
    .filter((x) => x >= 0 && x <= width);
  return (
    <>
      <AxisRow axis={axis} width={width} />
      {series === null ? null : <GpuLanes series={series} width={width} marks={marks} slowdown={null} />}
      <div ref={plot} className="readings-plot" style={{ left: GUTTER, width }} />
    </>
  );
}

/** Every process of the GPU with the most it held. */
function Processes({
  counters,
  group,
}: {
  readonly counters: readonly CounterInfo[];
  readonly group: string;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const { info } = useActiveTrace();
  const rows = counters.flatMap((one, row) => (one.isProcess && one.group === group ? [row] : []));
  const args = { trace: info.trace, counters: rows, from: 0, to: Math.max(1, info.durationNs), columns: 1 };
  const { data } = useQuery('counterSeries', rows.length === 0 ? null : args);
  const processes = rows
    .map((row, at) => ({
      name: counters[row]?.name ?? '',
      bytes: largestKnown(data?.[at]?.max ?? new Float64Array()),
    }))
    .sort((one, other) => (other.bytes ?? -1) - (one.bytes ?? -1));
  return (
    <section>
      <h2>{t('live.readings.processes', { gpu: group })}</h2>
      <table className="table process-table">
        <thead>
          <tr>
            <th>{t('live.processes.name')}</th>
            <th>{t('live.readings.highest')}</th>
          </tr>
        </thead>
        <tbody>
          {processes.map(({ name, bytes }) => (
            <tr key={name}>
              <td>{name}</td>
              <td>{bytes === null ? t('live.unknown') : format.bytes(bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Marks() {
  const { t } = useTranslation();
  const format = useFormat();
  const { info } = useActiveTrace();
  const { data } = useQuery('counters', { trace: info.trace });
  const marks = data?.marks ?? [];
  const describe = ({ kind, group, text }: TraceMark) => {
    const words = { name: text, gpu: group ?? '' };
    if (kind === 'process-came') return t('live.readings.came', words);
    if (kind === 'process-went') return t('live.events.went', words);
    if (kind === 'process-grew') return t('live.readings.grew', words);
    return text;
  };
  return (
    <section>
      <h2>{t('live.readings.marks')}</h2>
      {marks.length === 0 ? <p className="small quiet">{t('live.readings.noMarks')}</p> : null}
      <ul className="live-events">
        {marks.map((mark) => (
          <li key={`${mark.time} ${mark.kind} ${mark.text}`}>
            <time>{format.duration(mark.time)}</time>
            <span>{describe(mark)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
