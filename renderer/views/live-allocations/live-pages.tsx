import { useTranslation } from 'react-i18next';
import { Segmented } from '../../design/segmented.tsx';
import { useStore } from '../../state/store.ts';

/** The two pages of Live: what drivers say of GPUs, and what programs say of their blocks. */
export function LivePages({ page }: { readonly page: 'live' | 'allocations' }) {
  const { t } = useTranslation();
  const openTool = useStore((state) => state.openTool);
  return (
    <Segmented
      label={t('allocations.pages')}
      value={page}
      options={[
        { value: 'live', label: t('live.gpus') },
        { value: 'allocations', label: t('allocations.page') },
      ]}
      onChange={openTool}
    />
  );
}
