import { Trans, useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/use-format.ts';
import { useMomentName } from '../../i18n/use-words.ts';
import { useActiveDevice, useActiveTrace } from '../../state/active-trace.ts';
import { Card, Pill } from './card.tsx';
import { type OverviewData, useProof, viewOfFailures } from './use-overview.ts';
import { verdictOf } from './verdict.ts';

const MOST = 6;

export function FailuresCard({ data }: { readonly data: OverviewData }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { info } = useActiveTrace();
  const proof = useProof();
  const shownOn = viewOfFailures(data);
  const momentName = useMomentName(info);
  const { isPeakOfActive } = useActiveDevice();
  const { failures, peak } = data.device;
  // A plan or totals that a tool states hold no requests that could have failed.
  const areFailuresTold = !data.isInstant && !isPeakOfActive;
  if (!areFailuresTold && failures.length === 0) {
    return (
      <Card span={4} title={t('failure.cardTitle')} badge={<Pill tone="note">{t('unknown')}</Pill>}>
        <p>{data.isInstant ? t('failure.unknown') : t('failure.notTold')}</p>
      </Card>
    );
  }
  if (failures.length === 0) {
    return (
      <Card span={4} title={t('failure.cardTitle')} badge={<Pill tone="good">{t('failure.none')}</Pill>}>
        <p>
          <Trans
            i18nKey={data.device.possible_extra === null ? 'failure.floor' : 'failure.noneRead'}
            values={{ bytes: format.bytes(peak.requested.bytes) }}
            components={{ b: <b /> }}
          />
        </p>
      </Card>
    );
  }
  return (
    <Card
      span={4}
      title={t('failure.cardTitle')}
      badge={<Pill tone="critical">{t('finding.failed', { count: failures.length })}</Pill>}
    >
      <ul className="failure-list">
        {failures.slice(0, MOST).map((failure) => (
          <li key={failure.event}>
            <button
              type="button"
              className="failure-row"
              disabled={shownOn === null}
              onClick={() =>
                shownOn === null ? undefined : proof(shownOn, { cursor: failure.event, selection: null })
              }
            >
              <b>{format.bytes(failure.rounded)}</b>
              <span className="quiet">{t(`failure.${verdictOf(failure).kind}.name`)}</span>
              <span className="faint">{momentName({ event: failure.event, time: failure.time_ns })}</span>
            </button>
          </li>
        ))}
      </ul>
      {failures.length > MOST ? (
        <p className="caption">{t('failure.more', { count: failures.length - MOST })}</p>
      ) : null}
    </Card>
  );
}
