import { useTranslation } from 'react-i18next';
import { useStore } from '../../state/store.ts';

/** From the page of GPUs to that of programs: blocks and holes come from the program itself. */
export function ShowHow() {
  const { t } = useTranslation();
  const openTool = useStore((state) => state.openTool);
  return (
    <button type="button" className="go" onClick={() => openTool('allocations')}>
      {t('allocations.showHow')}
    </button>
  );
}

export function ShowAllocations() {
  const { t } = useTranslation();
  return (
    <section className="show-allocations" aria-label={t('allocations.title')}>
      <h3>{t('allocations.title')}</h3>
      <p className="small quiet">
        {t('allocations.teaser')} <ShowHow />
      </p>
    </section>
  );
}
