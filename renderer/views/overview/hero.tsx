import { Trans, useTranslation } from 'react-i18next';
import { timeUnitOf } from '../../../app/domain/format.ts';
import { whyNotSimulated } from '../../../app/domain/runs.ts';
import { annotationName } from '../../charts/annotation-name.ts';
import { useWords } from '../../charts/use-words.ts';
import { Icon } from '../../design/icons.tsx';
import { innermost } from '../../frame/inspector/cursor-section.tsx';
import { useFormat } from '../../i18n/use-format.ts';
import { useMomentName } from '../../i18n/use-words.ts';
import { useActiveDevice, useActiveTrace } from '../../state/active-trace.ts';
import { Pill } from './card.tsx';
import { MemoryBar, type Part } from './memory-bar.tsx';
import { type OverviewData, useProof } from './use-overview.ts';

/** Much is free when it is more than this share of what is reserved. */
const NOTABLE_FREE = 0.05;

/** The one number of a trace: how much memory it took, when, and what that was made of. */
export function Hero({ data }: { readonly data: OverviewData }) {
  const { t } = useTranslation();
  const extra = data.device.possible_extra;
  return (
    <section className="hero" aria-label={t('overview.hero')}>
      <div>
        {extra === null ? <ExactPeak data={data} /> : <BoundedPeak data={data} extra={extra.reserved} />}
      </div>
      <Parts data={data} />
    </section>
  );
}

function ExactPeak({ data }: { readonly data: OverviewData }) {
  const { t } = useTranslation();
  const format = useFormat();
  const proof = useProof();
  const device = useActiveDevice();
  const { isPeakOfActive } = device;
  const { total } = data.peak;
  const isOfActive = data.device.layout !== 'segments' || isPeakOfActive;
  const held = isOfActive ? total.active : total.reserved;
  const [number, unit] = format.bytes(held).split('\u00a0');
  return (
    <>
      <p className="quiet">
        {isOfActive
          ? t('overview.peakActive')
          : data.isInstant
            ? t('overview.reserved')
            : t('overview.peakReserved')}
      </p>
      <p className="hero-number" title={format.exact(held)}>
        {number} <small>{unit}</small>
      </p>
      <When data={data} />
      {isPeakOfActive && data.device.layout === 'segments' ? (
        <p className="quiet" title={format.exact(total.reserved)}>
          {t('overview.planned', { bytes: format.bytes(total.reserved) })}
        </p>
      ) : null}
      {total.free > NOTABLE_FREE * total.reserved ? (
        <p className="hero-pill">
          <Pill tone="caution">{t('overview.notInUse', { bytes: format.bytes(total.free) })}</Pill>
        </p>
      ) : null}
      {whyNotSimulated(device) !== null || data.device.failures.length > 0 ? null : (
        <button type="button" className="go" onClick={() => proof('whatIf', {})}>
          {t('whatIf.link')}
          <Icon name="arrow" />
        </button>
      )}
    </>
  );
}

/** Where in the trace the peak stands, and inside which annotation. */
function When({ data }: { readonly data: OverviewData }) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useWords();
  const { info } = useActiveTrace();
  const momentName = useMomentName(info);
  if (data.isInstant) return <p className="quiet hero-when">{t('overview.instantWhen')}</p>;
  const { event } = data.peak;
  if (event < 0) return <p className="quiet hero-when">{t('overview.beforeFirst')}</p>;
  const around = innermost(data.marks.annotations, event);
  const name = around === null ? undefined : annotationName(words, around.name);
  const { time } = data.peak;
  const values = {
    event: format.count(event),
    moment: time === null ? '' : format.time(time, timeUnitOf(info.durationNs)),
    name,
  };
  const where = time === null ? 'Event' : '';
  return (
    <p className="quiet hero-when" title={momentName(data.peak)}>
      {name === undefined ? (
        t(`overview.at${where}`, values)
      ) : (
        <Trans i18nKey={`overview.at${where}Inside`} values={values} components={{ code: <code /> }} />
      )}
    </p>
  );
}

/** A cut capture knows its totals only between bounds: both are said, neither is drawn as the truth. */
function BoundedPeak({ data, extra }: { readonly data: OverviewData; readonly extra: number | null }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { reserved } = data.peak.total;
  if (extra === null) {
    return (
      <>
        <p className="quiet">{t(data.isInstant ? 'overview.reservedAtLeast' : 'overview.peakAtLeast')}</p>
        <p className="hero-bounds" title={`≥ ${format.exact(reserved)}`}>
          {format.bytes(reserved)}
        </p>
        <p className="quiet hero-when">{t('overview.atLeastWhy')}</p>
      </>
    );
  }
  return (
    <>
      <p className="quiet">{t('overview.peakBetween')}</p>
      <p className="hero-bounds" title={`${format.exact(reserved)} – ${format.exact(reserved + extra)}`}>
        {t('overview.between', { low: format.bytes(reserved), high: format.bytes(reserved + extra) })}
      </p>
      <p className="quiet hero-when">{t('overview.boundsWhy')}</p>
    </>
  );
}

function Parts({ data }: { readonly data: OverviewData }) {
  const { t } = useTranslation();
  const { total, regions } = data.peak;
  const isVirtual = regions.virtual.reserved > regions.pooled.reserved;
  const extra = data.device.possible_extra?.reserved ?? null;
  const isBounded = extra !== null;
  const { areRequestsKnown } = useActiveDevice();
  const parts: readonly Part[] = [
    {
      name: areRequestsKnown ? t('overview.part.requested') : t('overview.part.inBlocks'),
      bytes: total.requested,
      fill: isVirtual ? 'fill-virtual-plain' : 'fill-pooled',
      why: areRequestsKnown ? t('overview.part.requestedWhy') : t('overview.part.inBlocksWhy'),
    },
    ...(areRequestsKnown
      ? [
          {
            name: t('overview.part.rounding'),
            bytes: total.active - total.requested,
            fill: isVirtual ? 'fill-virtual-dark' : 'fill-rounding',
            why: t('overview.part.roundingWhy'),
          },
        ]
      : []),
    ...(data.device.layout !== 'segments'
      ? []
      : isBounded
        ? [
            {
              name: t('overview.part.unknown'),
              bytes: total.free + extra,
              fill: 'fill-unknown',
              why: t('overview.part.unknownWhy'),
              isAtMost: true,
            },
          ]
        : [
            {
              name: t('overview.part.stranded'),
              bytes: total.stranded,
              fill: 'fill-hole',
              why: t('overview.part.strandedWhy'),
            },
            {
              name: t('overview.part.cached'),
              bytes: total.cachedWhole,
              fill: 'fill-cached',
              why: t('overview.part.cachedWhy', { count: total.cachedWholeSegments }),
            },
          ]),
  ];
  const label = data.device.layout === 'segments' ? 'overview.partsLabel' : 'overview.partsOfActive';
  return <MemoryBar label={t(label)} parts={parts} />;
}
