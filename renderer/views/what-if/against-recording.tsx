import { useTranslation } from 'react-i18next';
import type { RunSummary } from '../../../app/contract/simulation.ts';
import { countCalls, estimateCost } from '../../../app/domain/cost-model.ts';
import { formatNumber } from '../../../app/domain/format.ts';
import { type Recording, roomOf } from '../../../app/domain/runs.ts';
import { Emphasis } from '../../charts/emphasis.tsx';
import { type Pair, Pairs } from '../../frame/pairs.tsx';
import { useFormat } from '../../i18n/use-format.ts';
import { useMomentName } from '../../i18n/use-words.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import { useWhatIf } from './what-if-store.ts';

interface Props {
  readonly summary: RunSummary;
  readonly recording: Recording;
}

/** More that is in use is neither better nor worse. */
interface Judged {
  readonly isAnswer?: boolean;
  readonly isNeutral?: boolean;
}

/** What-if judges: less is good, more a caution. */
const toneOf = (difference: number) =>
  difference === 0 ? 'faint' : difference < 0 ? 'good-text' : 'caution-text';

export function AgainstRecording({ summary, recording }: Props) {
  const { t } = useTranslation();
  const pairs = useDifferences(summary, recording);
  return (
    <section>
      <h2>{t('whatIf.inspector.against')}</h2>
      <Pairs pairs={pairs} />
      <FailureWords summary={summary} />
    </section>
  );
}

function useDifferences(summary: RunSummary, recording: Recording): readonly (Pair | null)[] {
  const { t } = useTranslation();
  const format = useFormat();
  const costModel = useWhatIf((state) => state.costModel);
  const size = (label: string, now: number, before: number, part: Judged = {}): Pair => ({
    label,
    value: (
      <span className={part.isNeutral ? undefined : toneOf(now - before)}>
        {now === before ? t('whatIf.table.same') : format.difference(now - before)}
      </span>
    ),
    exact: `${format.exact(before)} → ${format.exact(now)}`,
    isAnswer: part.isAnswer ?? false,
  });
  const calls = countCalls(summary.calls) - countCalls(recording.calls);
  const cost = estimateCost(summary.calls, costModel) - estimateCost(recording.calls, costModel);
  const room = roomOf(summary);
  const sign = (value: number) => (value > 0 ? '+' : '');
  return [
    size(t('whatIf.inspector.peak'), summary.peakReserved, recording.peakReserved, {
      isAnswer: true,
    }),
    size(t('whatIf.inspector.active'), summary.activeAtPeak, recording.activeAtPeak, {
      isNeutral: true,
    }),
    size(t('whatIf.inspector.free'), summary.freeAtPeak, recording.freeAtPeak),
    size(t('whatIf.inspector.final'), summary.finalReserved, recording.finalReserved),
    {
      label: t('whatIf.inspector.calls'),
      value: (
        <span className={toneOf(calls)}>
          {calls === 0 ? t('whatIf.table.same') : `${sign(calls)}${formatNumber(calls, 0, format.locale)}`}
        </span>
      ),
    },
    {
      label: t('whatIf.inspector.cost'),
      value: (
        <span className={toneOf(cost)}>
          {cost === 0 ? t('whatIf.table.same') : `≈ ${sign(cost)}${format.duration(cost)}`}
        </span>
      ),
      reason: t('whatIf.table.costWhy'),
    },
    null,
    ...(room === null
      ? []
      : [
          {
            label: t('whatIf.inspector.room'),
            value: format.bytes(room),
            exact: format.exact(room),
            reason: t('whatIf.inspector.roomWhy'),
            isAnswer: true,
          },
        ]),
    {
      label: t('whatIf.inspector.bound'),
      value: format.bytes(summary.lowerBound),
      exact: format.exact(summary.lowerBound),
      reason: t('whatIf.inspector.boundWhy'),
    },
  ];
}

function FailureWords({ summary }: { readonly summary: RunSummary }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { info } = useActiveTrace();
  const momentName = useMomentName(info);
  const { firstFailure: failure, failureCount } = summary;
  if (failure === null) return null;
  const values = {
    moment: momentName(failure),
    asked: format.bytes(failure.requested),
    free: format.bytes(failure.free),
    hole: format.bytes(failure.largestFree),
  };
  return (
    <div className="run-failed-words">
      <h3>{t('whatIf.inspector.failedTitle')}</h3>
      <p className="small">
        <Emphasis
          text={
            failure.deviceFree === null
              ? t('whatIf.inspector.failedUnknown', values)
              : t('whatIf.inspector.failed', { ...values, device: format.bytes(failure.deviceFree) })
          }
        />{' '}
        {failureCount > 1 ? t('whatIf.inspector.failures', { count: failureCount }) : ''}
      </p>
    </div>
  );
}
