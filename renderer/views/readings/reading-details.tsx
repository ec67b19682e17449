import { useTranslation } from 'react-i18next';
import type { CounterInfo, TraceMark } from '../../../app/contract/live.ts';
import { largestKnown } from '../../charts/sampled-path.ts';
import { useQuery } from '../../engine/use-query.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import { ProcessName } from '../live/process-name.tsx';
import { ProcessScroll } from '../live/process-scroll.tsx';

interface ProcessesProps {
  readonly counters: readonly CounterInfo[];
  readonly group: string;
}

/** Every process of the GPU with the most it held. */
export function Processes({ counters, group }: ProcessesProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { info } = useActiveTrace();
  const rows = counters.flatMap((one, row) => (one.isProcess && one.group === group ? [row] : []));
  const args = { trace: info.trace, counters: rows, from: 0, to: Math.max(1, info.durationNs), columns: 1 };
  const { data } = useQuery('counterSeries', rows.length === 0 ? null : args);
  if (rows.length === 0) return null;
  const processes = rows
    .map((row, at) => ({
      name: counters[row]?.name ?? '',
      bytes: largestKnown(data?.[at]?.max ?? new Float64Array()),
    }))
    .sort((one, other) => (other.bytes ?? -1) - (one.bytes ?? -1));
  const title = t('live.readings.processes', { gpu: group });
  return (
    <section>
      <h2>{title}</h2>
      <ProcessScroll>
        <table className="table process-table" aria-label={title}>
          <thead>
            <tr>
              <th>{t('live.processes.name')}</th>
              <th>{t('live.readings.highest')}</th>
            </tr>
          </thead>
          <tbody>
            {processes.map(({ name, bytes }) => (
              <tr key={name}>
                <td>
                  <ProcessName name={name} />
                </td>
                <td>{bytes === null ? t('live.unknown') : format.bytes(bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ProcessScroll>
    </section>
  );
}

/** Newer ones are left out, and counted. */
const MOST_MARKS = 500;

/** What happened on the GPU, and to all of them. */
export function Marks({ group }: { readonly group: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { info } = useActiveTrace();
  const { data } = useQuery('counters', { trace: info.trace });
  const marks = (data?.marks ?? []).filter((mark) => mark.group === null || mark.group === group);
  if (marks.length === 0 && info.format !== 'gpu-recording') return null;
  const describe = ({ kind, group: of, text }: TraceMark) => {
    const gpu = of ?? '';
    switch (kind) {
      case 'process-came':
        return t('live.readings.came', { name: text, gpu });
      case 'process-went':
        return t('live.events.went', { name: text, gpu });
      case 'process-grew':
        return t('live.readings.grew', { name: text, gpu });
      case 'gpu-lost':
        return t('live.events.lost', { gpu });
      case 'gpu-back':
        return t('live.events.back', { gpu });
      case 'memory-limit':
      case 'temperature-limit':
      case 'power-limit':
        return t(`live.events.${kind}`, { gpu, text });
      default:
        return text;
    }
  };
  return (
    <section>
      <h2>{t('live.readings.marks')}</h2>
      {marks.length === 0 ? <p className="small quiet">{t('live.readings.noMarks')}</p> : null}
      <ul className="live-events">
        {marks.slice(0, MOST_MARKS).map((mark) => (
          <li key={`${mark.time} ${mark.kind} ${mark.text}`}>
            <time>{format.duration(mark.time)}</time>
            <span>{describe(mark)}</span>
          </li>
        ))}
      </ul>
      {marks.length <= MOST_MARKS ? null : (
        <p className="small quiet">{t('live.readings.moreMarks', { count: marks.length - MOST_MARKS })}</p>
      )}
    </section>
  );
}
