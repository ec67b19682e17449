import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSize } from '../../charts/canvas.tsx';
import { largestKnown } from '../../charts/sampled-path.ts';
import { TableButton } from '../../charts/table-button.tsx';
import { GUTTER, RIGHT_MARGIN } from '../../charts/viewport.ts';
import { Choice } from '../../design/choice.tsx';
import { Icon } from '../../design/icons.tsx';
import { useQuery } from '../../engine/use-query.ts';
import { QueryError } from '../../frame/query-error.tsx';
import { useFormat } from '../../i18n/use-format.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import { fullRange } from '../../state/store.ts';
import { Marks, Processes } from './reading-details.tsx';
import { ReadingLanes } from './reading-lanes.tsx';
import { ReadingsTable } from './readings-table.tsx';
import { useReadings } from './use-readings.ts';
import '../../charts/charts.css';
import '../live/live.css';
import { RecordLink } from '../record/record-link.tsx';

/** What was sampled while a trace was recorded, one GPU, or one group of counters, at a time. */
export function Readings() {
  const { t } = useTranslation();
  const { info, isTableOpen } = useActiveTrace();
  const [place, size] = useSize<HTMLDivElement>();
  const [chosen, setChosen] = useState<string | null>(null);
  const { data, error } = useQuery('counters', { trace: info.trace });
  const { data: settings } = useQuery('settings', { trace: info.trace });
  const width = Math.max(0, Math.floor(size.width - GUTTER - RIGHT_MARGIN));
  const counters = data?.counters ?? [];
  const groups = [...new Set(counters.map((counter) => counter.group))];
  const group = chosen ?? groups[0] ?? '';
  const sentence = useReadingsSentence(group);
  if (error !== null) return <QueryError error={error} />;
  const isRecording = info.format === 'gpu-recording';
  const hasAside =
    isRecording || (data?.marks ?? []).length > 0 || counters.some((counter) => counter.isProcess);
  return (
    <>
      <header className="view-header">
        <div className="view-header-words">
          <h1>
            {t(isRecording ? 'live.readings.title' : 'live.readings.counters')}
            {settings?.['simulated'] === 'yes' ? (
              <span className="pill note">{t('live.simulated.pill')}</span>
            ) : null}
          </h1>
          <p aria-live="polite">{sentence}</p>
        </div>
        <div className="view-header-controls">
          <GroupChoice groups={groups} value={group} onChange={setChosen} />
          <TableButton />
        </div>
      </header>
      {settings?.['closing record'] === 'missing' ? (
        <p className="readings-note">
          <Icon name="note" isSmall />
          {t('live.readings.unfinished')}
        </p>
      ) : null}
      {isTableOpen ? (
        <ReadingsTable counters={counters} group={group} />
      ) : (
        <div className="live-content">
          <div className="live-main">
            <div className="live-lanes" ref={place}>
              <ReadingLanes counters={counters} group={group} width={width} />
            </div>
          </div>
          {hasAside ? (
            <aside className="live-aside" aria-label={t('live.details')}>
              <Processes counters={counters} group={group} />
              <Marks group={group} />
              {isRecording ? (
                <>
                  <p className="small quiet">{t('live.readings.needsBlocks')}</p>
                  <RecordLink guide="pytorch" isPlain />
                </>
              ) : null}
            </aside>
          ) : null}
        </div>
      )}
    </>
  );
}

interface GroupChoiceProps {
  readonly groups: readonly string[];
  readonly value: string;
  onChange(group: string): void;
}

function GroupChoice({ groups, value, onChange }: GroupChoiceProps) {
  const { t } = useTranslation();
  const labelId = useId();
  if (groups.length < 2) return null;
  return (
    <>
      <span id={labelId} className="unseen">
        {t('live.readings.gpu')}
      </span>
      <Choice
        labelId={labelId}
        value={value}
        options={groups.map((one) => ({ value: one, label: one }))}
        onChange={onChange}
      />
    </>
  );
}

/** The most that a GPU held; of other counters, how many there are. */
function useReadingsSentence(group: string): string {
  const { t } = useTranslation();
  const format = useFormat();
  const { info } = useActiveTrace();
  const { data } = useQuery('counters', { trace: info.trace });
  const readings = useReadings(data?.counters ?? [], group, fullRange(info, 0, 'time'), 1);
  const duration = format.duration(info.durationNs);
  if (readings?.isStale) return '';
  const highest = largestKnown(readings?.gpu.used?.max ?? new Float64Array());
  if (highest !== null) {
    return t('live.readings.sentence', { gpu: group, used: format.bytes(highest), duration });
  }
  if (info.format === 'gpu-recording') return t('live.readings.sentenceEmpty', { duration });
  return t('live.readings.sentenceCounters', { count: data?.counters.length ?? 0, duration });
}
