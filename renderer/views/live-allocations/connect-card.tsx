import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AllocationsEndpoint } from '../../../app/contract/allocations.ts';
import { Segmented } from '../../design/segmented.tsx';
import { CopyButton } from '../../frame/copy-button.tsx';
import { connectLines, WAYS, type Way } from './connect-lines.ts';

/** How a program is connected: lines to copy, and where Strata listens. */
export function ConnectCard({ endpoint }: { readonly endpoint: AllocationsEndpoint }) {
  const { t } = useTranslation();
  const [way, setWay] = useState<Way>('pytorch');
  const lines = connectLines(way, endpoint);
  return (
    <section className="card connect-card" aria-label={t('allocations.connect.title')}>
      <h2>{t('allocations.connect.title')}</h2>
      <Segmented<Way>
        label={t('allocations.connect.title')}
        value={way}
        options={WAYS.map((one) => ({ value: one, label: t(`allocations.connect.ways.${one}`) }))}
        onChange={setWay}
      />
      <p className="small quiet">{t(`allocations.connect.notes.${way}`)}</p>
      <div className="code-block">
        <pre className="mono">{lines}</pre>
        <CopyButton label={t('allocations.connect.copyLines')} text={() => lines} />
      </div>
      <h2>{t('allocations.connect.address')}</h2>
      <div className="code-block">
        <pre className="mono">{endpoint.address}</pre>
        <CopyButton label={t('allocations.connect.copyAddress')} text={() => endpoint.address} />
      </div>
      <p className="small quiet">{t('allocations.connect.private')}</p>
    </section>
  );
}
