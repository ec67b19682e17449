import { useTranslation } from 'react-i18next';
import type { MomentResult } from '../../../app/contract/engine.ts';
import type { PossibleExtra } from '../../../app/contract/report.ts';
import { useQuery } from '../../engine/use-query.ts';
import { type Format, useFormat } from '../../i18n/use-format.ts';
import { useActiveDevice, useActiveTrace } from '../../state/active-trace.ts';
import { busiestRegion, isFragmented } from '../../state/findings.ts';
import { CopyButton } from '../copy-button.tsx';
import { type Pair, Pairs, pairsText } from '../pairs.tsx';

/** The numbers of the cursor's moment. Of a capture that is cut off they are bounds, and say so. */
export function MemorySection({ moment }: { readonly moment: MomentResult }) {
  const { t } = useTranslation();
  const { info, device } = useActiveTrace();
  const { data: report } = useQuery('report', info.isComplete ? null : { trace: info.trace });
  const extra = report?.devices[device]?.possible_extra ?? null;
  const { layout } = useActiveDevice();
  const memory = useMemoryPairs(moment);
  const bounds = useBoundPairs(moment, extra);
  const pairs = extra === null ? memory : bounds;
  const region = busiestRegion(moment.regions);
  return (
    <section>
      <div className="inspector-head">
        <h2>{t('inspector.memory')}</h2>
        <CopyButton label={t('inspector.copyNumbers')} text={() => pairsText(pairs)} />
      </div>
      <Pairs pairs={pairs} />
      <p className="caption">
        {layout !== 'segments'
          ? t('inspector.freeUnknown')
          : extra === null
            ? t('inspector.formula', { region: t(`region.${region}.inText`) })
            : t('inspector.boundsWhy')}
      </p>
    </section>
  );
}

function bytesPair(format: Format, label: string, bytes: number, isAnswer = false): Pair {
  return { label, value: format.bytes(bytes), exact: format.exact(bytes), isAnswer };
}

function useMemoryPairs(moment: MomentResult): readonly (Pair | null)[] {
  const { t } = useTranslation();
  const { layout, areRequestsKnown } = useActiveDevice();
  const format = useFormat();
  const { total, regions } = moment;
  const region = busiestRegion(regions);
  const busiest = regions[region];
  const inRegion = { region: t(`region.${region}.inText`) };
  const isHigh =
    busiest.fragmentation !== null && isFragmented(busiest.fragmentation, busiest.free, total.reserved);
  const isSegments = layout === 'segments';
  const inBlocks = [
    ...(isSegments ? [bytesPair(format, t('quantity.reserved'), total.reserved, true)] : []),
    bytesPair(format, t('quantity.active'), total.active, !isSegments),
    ...(total.allocated === total.active
      ? []
      : [bytesPair(format, t('quantity.allocated'), total.allocated)]),
    ...(areRequestsKnown
      ? [
          bytesPair(format, t('quantity.requested'), total.requested),
          bytesPair(format, t('quantity.rounding'), total.active - total.requested),
        ]
      : []),
  ];
  if (!isSegments) return inBlocks;
  return [
    ...inBlocks,
    null,
    bytesPair(format, t('quantity.free'), total.free, true),
    {
      ...bytesPair(format, t('quantity.cached'), total.cachedWhole),
      reason: t('inspector.cachedCount', { count: total.cachedWholeSegments }),
    },
    bytesPair(format, t('quantity.stranded'), total.stranded),
    bytesPair(format, t('quantity.largestIn', inRegion), busiest.largestFree),
    { label: t('quantity.holesIn', inRegion), value: format.count(busiest.holes) },
    {
      label: t('quantity.fragmentation'),
      value:
        busiest.fragmentation === null ? (
          t('inspector.nothingFree')
        ) : (
          <span className={isHigh ? 'caution-text' : undefined}>{format.percent(busiest.fragmentation)}</span>
        ),
      exact: busiest.fragmentation === null ? '' : format.percent(busiest.fragmentation),
      reason: t('inspector.formula', inRegion),
      isAnswer: true,
    },
  ];
}

function useBoundPairs(moment: MomentResult, extra: PossibleExtra | null): readonly (Pair | null)[] {
  const { t } = useTranslation();
  const format = useFormat();
  if (extra === null) return [];
  const { reserved, active } = moment.total;
  return [
    bytesPair(format, t('inspector.reservedLeast'), reserved, true),
    extra.reserved === null
      ? { label: t('inspector.reservedMost'), value: t('unknown') }
      : bytesPair(format, t('inspector.reservedMost'), reserved + extra.reserved, true),
    bytesPair(format, t('inspector.activeLeast'), active),
    extra.active === null
      ? { label: t('inspector.activeMost'), value: t('unknown') }
      : bytesPair(format, t('inspector.activeMost'), active + extra.active),
    { label: t('quantity.fragmentation'), value: t('unknown') },
  ];
}
