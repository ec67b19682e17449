import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../frame/copy-button.tsx';
import { Card } from './card.tsx';
import type { OverviewData } from './use-overview.ts';

/** A value that takes a line of its own. */
const LONG = 24;

/** The allocator's settings as the capture holds them. */
export function SettingsCard({ data }: { readonly data: OverviewData }) {
  const { t } = useTranslation();
  const entries = Object.entries(data.report.settings);
  return (
    <Card
      span={4}
      title={t('allocator.title')}
      badge={
        entries.length === 0 ? null : (
          <CopyButton
            label={t('allocator.copy')}
            text={() => entries.map(([name, value]) => `${name}=${value}`).join('\n')}
          />
        )
      }
    >
      {entries.length === 0 ? (
        <p>
          {data.report.format !== 'pytorch-snapshot'
            ? t('allocator.notInFormat')
            : data.report.complete
              ? t('allocator.notRecorded')
              : t('allocator.notRead')}
        </p>
      ) : (
        <dl className="allocator">
          {entries.map(([name, value]) => (
            <div key={name} className={value.length > LONG ? 'allocator-long' : undefined}>
              <dt>{name}</dt>
              <dd title={value}>{value === '' ? t('allocator.empty') : value}</dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  );
}
