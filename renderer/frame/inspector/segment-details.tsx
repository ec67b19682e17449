import { useTranslation } from 'react-i18next';
import { useQuery } from '../../engine/use-query.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useMomentName } from '../../i18n/use-words.ts';
import { useActiveTrace, useUpdateTrace } from '../../state/active-trace.ts';
import { CopyButton } from '../copy-button.tsx';
import { type Pair, Pairs, pairsText } from '../pairs.tsx';
import { QueryError } from '../query-error.tsx';
import { MomentButton } from './block-details.tsx';
import { SelectionFrame, ViewLinks } from './selection-section.tsx';
import { Stack } from './stack.tsx';

export function SegmentDetails({ segment }: { readonly segment: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { info, device } = useActiveTrace();
  const update = useUpdateTrace();
  const momentName = useMomentName(info);
  const { data, error } = useQuery('segment', { trace: info.trace, device, segment });
  if (error !== null) return <QueryError error={error} />;
  if (data === null) return <p className="caption">{t('inspector.waiting')}</p>;
  const pairs: readonly Pair[] = [
    {
      label: t('inspector.segmentBytes'),
      value: format.bytes(data.bytes),
      exact: format.exact(data.bytes),
      isAnswer: true,
    },
    { label: t('inspector.address'), value: <code>{data.address}</code>, exact: data.address },
    { label: t('inspector.region'), value: t(`region.${data.region}.name`) },
    ...(info.format === 'pytorch-snapshot'
      ? [
          {
            label: t('inspector.kind'),
            value: data.isExpandable
              ? t('inspector.expandable')
              : data.isLarge
                ? t('inspector.large')
                : t('inspector.smallPool'),
          },
        ]
      : []),
    {
      label: t('inspector.taken'),
      value: data.birth === null ? t('site.before') : <MomentButton moment={data.birth} />,
      exact: data.birth === null ? t('site.before') : momentName(data.birth),
    },
    {
      label: t('inspector.givenBack'),
      value: data.death === null ? t('inspector.atEnd') : <MomentButton moment={data.death} />,
      exact: data.death === null ? t('inspector.atEnd') : momentName(data.death),
    },
    { label: t('inspector.stream'), value: data.stream, exact: data.stream },
    { label: t('inspector.pool'), value: `(${data.pool.join(', ')})`, exact: data.pool.join(', ') },
  ];
  return (
    <SelectionFrame
      title={t('inspector.segment')}
      actions={<CopyButton label={t('inspector.copySegment')} text={() => `${pairsText(pairs)}\n`} />}
    >
      <Pairs pairs={pairs} />
      <ViewLinks onOpen={() => update({ mapRegion: data.region })} />
      <h3>{t('inspector.stack')}</h3>
      <Stack key={segment} stack={data.stack} />
    </SelectionFrame>
  );
}
