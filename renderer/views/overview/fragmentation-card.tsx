import { Trans, useTranslation } from 'react-i18next';
import { useQuery } from '../../engine/use-query.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import { busiestRegion, isFragmented } from '../../state/findings.ts';
import { Card, Pill } from './card.tsx';
import { HolesChart } from './holes-chart.tsx';
import { type OverviewData, useProof } from './use-overview.ts';

/** How much of the free memory is in holes too small to be used. */
export function FragmentationCard({ data }: { readonly data: OverviewData }) {
  const { t } = useTranslation();
  const format = useFormat();
  const proof = useProof();
  const mark = useMark(data);
  const region = busiestRegion(data.peak.regions);
  const numbers = data.peak.regions[region];
  const title = data.isInstant ? t('overview.fragmentation.titleInstant') : t('overview.fragmentation.title');
  if (data.device.layout !== 'segments') {
    return (
      <Card span={4} title={title} badge={<Pill tone="note">{t('unknown')}</Pill>}>
        <p className="fact-number">{t('unknown')}</p>
        <p>{t('overview.fragmentation.noSegments')}</p>
      </Card>
    );
  }
  if (data.device.possible_extra !== null) {
    return (
      <Card span={4} title={title} badge={<Pill tone="note">{t('unknown')}</Pill>}>
        <p className="fact-number">{t('unknown')}</p>
        <p>{t('overview.fragmentation.bounded')}</p>
      </Card>
    );
  }
  if (numbers.fragmentation === null) {
    return (
      <Card span={4} title={title} badge={<Pill tone="good">{t('overview.fragmentation.none')}</Pill>}>
        <p>{t('overview.fragmentation.nothingFree')}</p>
      </Card>
    );
  }
  const isHigh = isFragmented(numbers.fragmentation, numbers.free, data.peak.total.reserved);
  const doesFit = mark === null || numbers.largestFree >= mark.bytes;
  const [size, hole] = format.close(mark?.bytes ?? 0, numbers.largestFree);
  return (
    <Card
      span={4}
      title={title}
      badge={
        isHigh ? (
          <Pill tone="caution">{t('overview.fragmentation.high')}</Pill>
        ) : (
          <Pill tone="good">{t('overview.fragmentation.low')}</Pill>
        )
      }
      proof={{
        label: t('overview.fragmentation.show'),
        onOpen: () => proof('map', { cursor: data.peak.event, mapRegion: region, selection: null }),
      }}
    >
      <p className="fact-number" title={t('inspector.formula', { region: t(`region.${region}.inText`) })}>
        {format.percent(numbers.fragmentation)}
      </p>
      <p>
        <Trans
          i18nKey={doesFit ? 'overview.fragmentation.fits' : 'overview.fragmentation.tooSmall'}
          values={{
            free: format.bytes(numbers.free),
            region: t(`region.${region}.inText`),
            hole: mark === null ? format.bytes(numbers.largestFree) : hole,
            size,
          }}
          components={{ b: <b /> }}
        />
      </p>
      <HolesChart region={numbers} mark={mark} />
    </Card>
  );
}

/** The size to hold against the holes: the request that failed, or else the largest block that is live. */
function useMark(data: OverviewData): { readonly bytes: number; readonly name: string } | null {
  const { t } = useTranslation();
  const format = useFormat();
  const { info, device } = useActiveTrace();
  const failure = data.device.failures[0];
  const { data: state } = useQuery(
    'state',
    failure === undefined ? { trace: info.trace, device, event: data.peak.event } : null,
  );
  if (failure !== undefined) {
    return {
      bytes: failure.rounded,
      name: t('overview.holes.failed', { bytes: format.bytes(failure.rounded) }),
    };
  }
  const largest = state?.blockBytes.reduce((best, bytes) => Math.max(best, bytes), 0) ?? 0;
  if (largest === 0) return null;
  return { bytes: largest, name: t('overview.holes.largest', { bytes: format.bytes(largest) }) };
}
