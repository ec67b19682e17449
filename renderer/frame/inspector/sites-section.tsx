import { useTranslation } from 'react-i18next';
import type { MomentResult, SiteInfo } from '../../../app/contract/engine.ts';
import { ownerVariable } from '../../design/colours.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useSiteName } from '../../i18n/use-words.ts';
import { useActiveTrace, useUpdateTrace } from '../../state/active-trace.ts';

const MOST = 8;

export interface SitesProps {
  readonly moment: MomentResult;
  readonly sites: readonly SiteInfo[];
}

/** Who holds the memory at the cursor; a click selects the call site in every view. */
export function SitesSection({ moment, sites }: SitesProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const siteName = useSiteName();
  const { selection } = useActiveTrace();
  const update = useUpdateTrace();
  const shown = moment.sites.slice(0, MOST);
  const rest = moment.sites.slice(MOST);
  const restBytes = rest.reduce((sum, one) => sum + one.bytes, 0);
  const selected = selection?.kind === 'site' ? selection.site : null;
  /** Sites without a colour of their own share the rank of "other", which is no site to select. */
  const isSelectable = (site: number) => site < sites.length - 1;
  return (
    <section>
      <h2>{t('inspector.sites')}</h2>
      {shown.length === 0 ? <p className="caption">{t('inspector.nothingLive')}</p> : null}
      <ul className="site-list">
        {shown.map((share) => (
          <li key={`${share.site} ${share.name} ${share.stack}`}>
            <button
              type="button"
              className="site"
              aria-pressed={selected === share.site && isSelectable(share.site)}
              disabled={!isSelectable(share.site)}
              title={`${format.exact(share.bytes)} · ${t('inspector.blocks', { count: share.blocks })}`}
              onClick={() =>
                update({ selection: selected === share.site ? null : { kind: 'site', site: share.site } })
              }
            >
              <i className="swatch" style={{ background: ownerVariable(share.site, sites.length) }} />
              <span className="ellipsis">
                {siteName(share.name, isSelectable(share.site) ? sites[share.site]?.kind : undefined)}
              </span>
              <span className="number">{format.bytes(share.bytes)}</span>
            </button>
          </li>
        ))}
      </ul>
      {rest.length === 0 ? null : (
        <p className="caption">
          {t('inspector.moreSites', { count: rest.length, bytes: format.bytes(restBytes) })}
        </p>
      )}
    </section>
  );
}
