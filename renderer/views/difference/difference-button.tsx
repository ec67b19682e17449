import { useTranslation } from 'react-i18next';
import { useKeyName, useRunCommand } from '../../commands/use-commands.ts';
import { Tip } from '../../frame/tip.tsx';

/** Opens the comparison of this trace with another one. */
export function DifferenceButton() {
  const { t } = useTranslation();
  const run = useRunCommand();
  const keyName = useKeyName('difference');
  return (
    <Tip label={t('difference.title')} keyName={keyName}>
      <button type="button" className="button" onClick={() => run('difference')}>
        {t('commands.difference')}
      </button>
    </Tip>
  );
}
