import { useTranslation } from 'react-i18next';
import { useQuery } from '../../engine/use-query.ts';
import { useActiveDevice, useActiveTrace } from '../../state/active-trace.ts';
import { QueryError } from '../query-error.tsx';
import { CursorSection } from './cursor-section.tsx';
import { MemorySection } from './memory-section.tsx';
import { SelectionSection } from './selection-section.tsx';
import { SitesSection } from './sites-section.tsx';
import { WhyHere } from './why-here.tsx';

/** What is true at the cursor, and what is selected; the same beside every picture of a trace. */
export function Inspector() {
  const { t } = useTranslation();
  const { info, device, cursor, selection } = useActiveTrace();
  const { layout } = useActiveDevice();
  const onDevice = { trace: info.trace, device };
  const { data: moment, error } = useQuery('moment', { ...onDevice, event: cursor });
  const { data: sites } = useQuery('sites', onDevice);
  const details = <SelectionSection moment={moment} sites={sites ?? []} />;
  // The details of a thing come before the list of sites; those of a site below it, so that the list stays in place.
  const isThing = moment !== null && selection !== null && selection.kind !== 'site';
  return (
    <div className="inspector-body">
      <CursorSection />
      {error === null ? null : <QueryError error={error} />}
      {moment === null ? (
        <p className="caption">{t('inspector.waiting')}</p>
      ) : (
        <>
          <MemorySection moment={moment} />
          {isThing ? details : null}
          {info.source.kind === 'simulation' ? <WhyHere /> : null}
          {layout === 'totals' ? null : <SitesSection moment={moment} sites={sites ?? []} />}
        </>
      )}
      {isThing ? null : details}
    </div>
  );
}
