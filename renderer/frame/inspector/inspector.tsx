import { useTranslation } from 'react-i18next';
import { useQuery } from '../../engine/use-query.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import { CursorSection } from './cursor-section.tsx';
import { MemorySection } from './memory-section.tsx';
import { SelectionSection } from './selection-section.tsx';
import { SitesSection } from './sites-section.tsx';

/** What is true at the cursor, and what is selected; the same beside every picture of a trace. */
export function Inspector() {
  const { t } = useTranslation();
  const { info, device, cursor } = useActiveTrace();
  const onDevice = { trace: info.trace, device };
  const { data: moment, error } = useQuery('moment', { ...onDevice, event: cursor });
  const { data: sites } = useQuery('sites', onDevice);
  return (
    <div className="inspector-body">
      <CursorSection />
      {error === null ? null : (
        <p className="inspector-error" role="alert">
          {error.message}
        </p>
      )}
      {moment === null ? (
        <p className="caption">{t('inspector.waiting')}</p>
      ) : (
        <>
          <MemorySection moment={moment} />
          <SitesSection moment={moment} sites={sites ?? []} />
        </>
      )}
      <SelectionSection moment={moment} sites={sites ?? []} />
    </div>
  );
}
