import { useTranslation } from 'react-i18next';
import type { BlockInfo, MomentRef, SiteInfo } from '../../../app/contract/engine.ts';
import { goToEvent } from '../../commands/cursor.ts';
import { ownerVariable } from '../../design/colours.ts';
import { usePlatform } from '../../engine/platform.ts';
import { useQuery } from '../../engine/use-query.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useMomentName, useSiteName } from '../../i18n/use-words.ts';
import { useActiveDevice, useActiveTrace, useUpdateTrace } from '../../state/active-trace.ts';
import { CopyButton } from '../copy-button.tsx';
import { type Pair, Pairs, pairsText } from '../pairs.tsx';
import { QueryError } from '../query-error.tsx';
import { SelectionFrame, ViewLinks } from './selection-section.tsx';
import { Stack, stackText } from './stack.tsx';

/** A moment that the cursor can be set to. */
export function MomentButton({ moment }: { readonly moment: MomentRef }) {
  const { info } = useActiveTrace();
  const { engine } = usePlatform();
  const momentName = useMomentName(info);
  return (
    <button type="button" className="moment" onClick={() => goToEvent(engine, info.trace, moment.event)}>
      {momentName(moment)}
    </button>
  );
}

export function BlockDetails({
  block,
  sites,
}: {
  readonly block: number;
  readonly sites: readonly SiteInfo[];
}) {
  const { t } = useTranslation();
  const { info, device } = useActiveTrace();
  const { data, error } = useQuery('block', { trace: info.trace, device, block });
  if (error !== null) return <QueryError error={error} />;
  if (data === null) return <p className="caption">{t('inspector.waiting')}</p>;
  return <Block data={data} sites={sites} />;
}

function Block({ data, sites }: { readonly data: BlockInfo; readonly sites: readonly SiteInfo[] }) {
  const { t } = useTranslation();
  const { engine } = usePlatform();
  const { info, cursor } = useActiveTrace();
  const update = useUpdateTrace();
  const siteName = useSiteName();
  const pairs = useBlockPairs(data);
  const kind = sites[data.site]?.kind;
  const name = siteName(data.siteName, kind === 'other' ? undefined : kind);
  const isAlive = (data.birth?.event ?? -1) <= cursor && (data.death === null || cursor < data.death.event);
  const bringIntoView = () => {
    update({ mapRegion: data.region });
    if (!isAlive) goToEvent(engine, info.trace, data.birth?.event ?? -1);
  };
  return (
    <SelectionFrame
      title={t('inspector.block')}
      actions={
        <CopyButton
          label={t('inspector.copyBlock')}
          text={() => `${pairsText(pairs)}\n${stackText(data.stack)}\n`}
        />
      }
    >
      <button
        type="button"
        className="site"
        onClick={() => update({ selection: { kind: 'site', site: data.site } })}
        disabled={data.site >= sites.length - 1}
      >
        <i className="swatch" style={{ background: ownerVariable(data.site, sites.length) }} />
        <span className="ellipsis">{name}</span>
      </button>
      <Pairs pairs={pairs} />
      {data.isExact ? null : <p className="caption">{t('inspector.estimated')}</p>}
      <ViewLinks onOpen={bringIntoView} />
      <h3>{t('inspector.stack')}</h3>
      <Stack key={data.block} stack={data.stack} />
    </SelectionFrame>
  );
}

function useBlockPairs(data: BlockInfo): readonly Pair[] {
  const { t } = useTranslation();
  const { layout, areRequestsKnown } = useActiveDevice();
  const format = useFormat();
  const { info } = useActiveTrace();
  const update = useUpdateTrace();
  const momentName = useMomentName(info);
  const bytes = (label: string, value: number): Pair => ({
    label,
    value: format.bytes(value),
    exact: format.exact(value),
  });
  const moment = (label: string, ref: MomentRef | null, otherwise: string): Pair =>
    ref === null
      ? { label, value: otherwise }
      : { label, value: <MomentButton moment={ref} />, exact: momentName(ref) };
  const waited =
    data.freeRequested !== null && data.freeRequested.event !== data.death?.event
      ? [moment(t('inspector.freeRequested'), data.freeRequested, '')]
      : [];
  return [
    { ...bytes(t('inspector.blockBytes'), data.bytes), isAnswer: true },
    ...(areRequestsKnown
      ? [
          bytes(t('quantity.requested'), data.requested),
          bytes(t('quantity.rounding'), data.bytes - data.requested),
        ]
      : []),
    { label: t('inspector.address'), value: <code>{data.address}</code>, exact: data.address },
    { label: t('inspector.region'), value: t(`region.${data.region}.name`) },
    moment(t('inspector.born'), data.birth, t('site.before')),
    ...waited,
    moment(t('inspector.freed'), data.death, t('inspector.atEnd')),
    { label: t('inspector.life'), value: useLife(data) },
    { label: t('inspector.stream'), value: data.stream, exact: data.stream },
    { label: t('inspector.pool'), value: `(${data.pool.join(', ')})`, exact: data.pool.join(', ') },
    ...(layout === 'segments'
      ? [
          {
            label: t('inspector.segment'),
            value: (
              <button
                type="button"
                className="moment"
                onClick={() => update({ selection: { kind: 'segment', segment: data.segment } })}
              >
                <code>{data.segmentAddress}</code>
              </button>
            ),
            exact: `${data.segmentAddress} ${format.exact(data.segmentBytes)}`,
          },
        ]
      : []),
    ...(data.label === null ? [] : [{ label: t('inspector.label'), value: data.label }]),
  ];
}

/** How long it lived: a length, or a least length when an end is not in the recording. */
function useLife(data: BlockInfo): string {
  const { t } = useTranslation();
  const format = useFormat();
  const { info } = useActiveTrace();
  if (!info.hasClock) {
    if (data.birth === null || data.death === null) return t('unknown');
    return t('inspector.lifeEvents', { count: data.death.event - data.birth.event });
  }
  const from = data.birth?.time ?? 0;
  const to = data.death?.time ?? info.durationNs;
  const length = format.duration(to - from);
  return data.birth === null || data.death === null ? `≥ ${length}` : length;
}
