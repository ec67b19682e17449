import { useTranslation } from 'react-i18next';
import type { RecordGuideId } from '../../../app/help/record.ts';
import { Icon } from '../../design/icons.tsx';
import { openRecordGuide } from '../../state/record-guide.ts';

/** Leads to the page that says how to record what is missing here. */
export function RecordLink({
  guide,
  isPlain = false,
}: {
  readonly guide: RecordGuideId;
  readonly isPlain?: boolean;
}) {
  const { t } = useTranslation();
  const name = t(`record.guides.${guide}.name`);
  return (
    <button type="button" className="go record-link" onClick={() => openRecordGuide(guide)}>
      {isPlain ? t('record.seeAll') : t('record.seeGuide', { guide: name })}
      <Icon name="arrow" isSmall />
    </button>
  );
}
