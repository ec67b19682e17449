import { useTranslation } from 'react-i18next';
import { ownerVariable } from '../../design/colours.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useSiteName } from '../../i18n/use-words.ts';
import { useActiveDevice } from '../../state/active-trace.ts';
import { Card, Pill } from './card.tsx';
import { type OverviewData, useProof } from './use-overview.ts';

const MOST = 6;

/** Which code holds it: the call sites with most live bytes at the peak. */
export function ConsumersCard({ data }: { readonly data: OverviewData }) {
  const { t } = useTranslation();
  const format = useFormat();
  const proof = useProof();
  const siteName = useSiteName();
  const { isPeakOfActive } = useActiveDevice();
  const { allocatedPeak: moment, sites } = data;
  const shown = moment.sites.slice(0, MOST);
  const most = shown[0]?.bytes ?? 1;
  const { active } = moment.total;
  const isBounded = data.device.possible_extra !== null;
  if (data.device.layout === 'totals' && !data.isInstant && !isPeakOfActive) {
    return (
      <Card span={4} title={t('overview.consumers.title')} badge={<Pill tone="note">{t('unknown')}</Pill>}>
        <p>{t('overview.consumers.noAddresses')}</p>
      </Card>
    );
  }
  const isNameless = data.isInstant && shown.every((share) => sites[share.site]?.kind === 'before');
  if (isNameless && shown.length > 0) {
    return (
      <Card
        span={4}
        title={t('overview.consumers.titleInstant')}
        badge={<Pill tone="note">{t('unknown')}</Pill>}
      >
        <p>
          {t('overview.consumers.noStacks', {
            blocks: format.count(moment.total.blocks),
            bytes: format.bytes(active),
          })}
        </p>
      </Card>
    );
  }
  const open = (site: number | null) =>
    proof('timeline', { cursor: moment.event, selection: site === null ? null : { kind: 'site', site } });
  return (
    <Card
      span={4}
      title={data.isInstant ? t('overview.consumers.titleInstant') : t('overview.consumers.title')}
      badge={
        <span className="caption">
          {isBounded ? t('overview.consumers.atLeast') : t('overview.consumers.share')}
        </span>
      }
      {...(data.isInstant
        ? {}
        : { proof: { label: t('overview.consumers.show'), onOpen: () => open(null) } })}
    >
      {shown.length === 0 ? <p>{t('overview.consumers.none')}</p> : null}
      <ul className="consumers">
        {shown.map((share) => {
          const known = share.site < sites.length - 1 ? sites[share.site] : undefined;
          return (
            <li key={`${share.site} ${share.name} ${share.stack}`}>
              <button
                type="button"
                className="consumer"
                disabled={known === undefined || data.isInstant}
                title={format.exact(share.bytes)}
                onClick={() => open(share.site)}
              >
                <span className="ellipsis">
                  {siteName(share.name, known?.kind)}{' '}
                  <span className="faint consumer-more">
                    {known?.kind === 'site' && known.function !== '' && known.function !== share.name ? (
                      <code>{known.function}</code>
                    ) : (
                      t('overview.consumers.blocks', { count: share.blocks })
                    )}
                  </span>
                </span>
                <span>{format.bytes(share.bytes)}</span>
                <span className="faint">
                  {isBounded ? '' : format.percent(active === 0 ? 0 : share.bytes / active)}
                </span>
                <span className="consumer-bar">
                  <i
                    style={{
                      width: `${(100 * share.bytes) / most}%`,
                      background: ownerVariable(share.site, sites.length),
                    }}
                  />
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
