import { Trans, useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/use-format.ts';
import { Card, Pill, type Tone } from './card.tsx';
import { type OverviewData, useProof } from './use-overview.ts';

const TONES: Readonly<Record<string, Tone>> = {
  exact: 'good',
  estimated: 'note',
  mismatch: 'caution',
  'not-applicable': 'note',
};

/** Whether the rebuilt states are the recorded ones: how much was compared, and where it first differs. */
export function ExactCard({ data }: { readonly data: OverviewData }) {
  const { t, i18n } = useTranslation();
  const format = useFormat();
  const proof = useProof();
  const { exact } = data.device;
  const mismatch = exact.first_mismatch;
  const counts = [
    ['placements', exact.placements_matched, exact.placements],
    ['segments', exact.segment_events_matched, exact.segment_events],
    ['finals', exact.final_blocks_matched, exact.final_blocks],
  ] as const;
  const because =
    exact.code === 'as-recorded' || exact.code === 'simulated'
      ? null
      : exact.code !== null && i18n.exists(`exact.because.${exact.code}`)
        ? i18n.t(`exact.because.${exact.code}` as never, {
            blocks: format.count(exact.hidden?.blocks ?? 0),
            bytes: format.bytes(exact.hidden?.bytes ?? 0),
          })
        : exact.because;
  return (
    <Card
      span={4}
      title={t('exact.title')}
      badge={<Pill tone={TONES[exact.verdict] ?? 'note'}>{t(`exact.verdict.${exact.verdict}`)}</Pill>}
      {...(mismatch === null
        ? {}
        : {
            proof: {
              label: t('exact.show', { event: format.count(mismatch) }),
              onOpen: () => proof('timeline', { cursor: mismatch, selection: null }),
            },
          })}
    >
      <p>
        {exact.code === 'as-recorded' || exact.code === 'simulated' || exact.code === 'simulated-estimate'
          ? t(`exact.meaning.${exact.code}`)
          : t(`exact.meaning.${exact.verdict}`)}
      </p>
      <ul className="counts">
        {counts
          .filter(([, , all]) => all > 0)
          .map(([name, matched, all]) => (
            <li key={name}>
              <Trans
                i18nKey={`exact.${name}`}
                values={{ matched: format.count(matched), all: format.count(all) }}
                components={{ b: <b /> }}
              />
            </li>
          ))}
      </ul>
      {because === null ? null : <p className="quiet">{because}</p>}
      {mismatch === null ? null : <p>{t('exact.since', { event: format.count(mismatch) })}</p>}
    </Card>
  );
}
