import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { MomentResult, SiteInfo } from '../../../app/contract/engine.ts';
import { useRunCommand } from '../../commands/use-commands.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useSiteName } from '../../i18n/use-words.ts';
import { isInstant, useActiveDevice, useActiveTrace, useUpdateTrace } from '../../state/active-trace.ts';
import { Pairs } from '../pairs.tsx';
import { BlockDetails } from './block-details.tsx';
import { RangeDetails } from './range-details.tsx';
import { SegmentDetails } from './segment-details.tsx';

interface SelectionProps {
  readonly moment: MomentResult | null;
  readonly sites: readonly SiteInfo[];
}

/** What is selected, the same in every view. */
export function SelectionSection({ moment, sites }: SelectionProps) {
  const { selection } = useActiveTrace();
  switch (selection?.kind) {
    case 'block':
      return <BlockDetails block={selection.block} sites={sites} />;
    case 'segment':
      return <SegmentDetails segment={selection.segment} />;
    case 'range':
      return <RangeDetails range={selection.range} />;
    case 'site':
      return <SiteDetails site={selection.site} moment={moment} sites={sites} />;
    case undefined:
      return <WholeTrace />;
  }
}

export function SelectionFrame({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const { t } = useTranslation();
  const update = useUpdateTrace();
  return (
    <section className="selection">
      <div className="inspector-head">
        <h2>{title}</h2>
        <div>
          {actions}
          <button type="button" className="button ghost" onClick={() => update({ selection: null })}>
            {t('action.clear')}
          </button>
        </div>
      </div>
      {children}
    </section>
  );
}

/** The same thing in the other views. */
export function ViewLinks({ onOpen }: { readonly onOpen?: () => void }) {
  const { t } = useTranslation();
  const { view } = useActiveTrace();
  const run = useRunCommand();
  const go = (to: 'timeline' | 'map') => {
    onOpen?.();
    run(to);
  };
  return (
    <div className="inspector-links">
      {view === 'timeline' ? null : (
        <button type="button" className="button" onClick={() => go('timeline')}>
          {t('inspector.onTimeline')}
        </button>
      )}
      {view === 'map' ? null : (
        <button type="button" className="button" onClick={() => go('map')}>
          {t('inspector.onMap')}
        </button>
      )}
    </div>
  );
}

function WholeTrace() {
  const { t } = useTranslation();
  const format = useFormat();
  const device = useActiveDevice();
  return (
    <section className="selection">
      <h2>{t('inspector.selection')}</h2>
      <p className="small quiet">
        {t(WHOLE[device.layout], {
          events: t('counted.events', { count: device.events }),
          blocks: format.count(device.blocks),
          segments: t('counted.segments', { count: device.segments }),
        })}
      </p>
      <p className="caption">
        {isInstant(device)
          ? t('inspector.howToSelectInstant')
          : device.layout === 'totals'
            ? t('inspector.howToSelectRange')
            : t('inspector.howToSelect')}
      </p>
    </section>
  );
}

/** What can be counted of a device. */
const WHOLE = {
  segments: 'inspector.whole',
  blocks: 'inspector.wholeBlocks',
  totals: 'inspector.wholeTotals',
} as const;

function SiteDetails({ site, moment, sites }: SelectionProps & { readonly site: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const siteName = useSiteName();
  const known = sites[site];
  const share = moment?.sites.find((one) => one.site === site);
  const active = moment?.total.active ?? 0;
  const bytes = share?.bytes ?? 0;
  if (known === undefined) return null;
  return (
    <SelectionFrame title={siteName(known.name, known.kind)}>
      <Pairs
        pairs={[
          ...(known.function === ''
            ? []
            : [{ label: t('inspector.function'), value: <code>{known.function}</code> }]),
          {
            label: t('inspector.atCursor'),
            value: format.bytes(bytes),
            exact: format.exact(bytes),
            isAnswer: true,
          },
          ...(active === 0
            ? []
            : [{ label: t('inspector.ofActive'), value: format.percent(bytes / active) }]),
          { label: t('inspector.liveBlocks'), value: format.count(share?.blocks ?? 0) },
          {
            label: t('inspector.atPeak'),
            value: format.bytes(known.bytesAtPeak),
            exact: format.exact(known.bytesAtPeak),
          },
        ]}
      />
      <ViewLinks />
    </SelectionFrame>
  );
}
