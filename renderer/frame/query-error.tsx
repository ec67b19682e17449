import { useTranslation } from 'react-i18next';
import type { EngineError } from '../../app/contract/error.ts';
import { Icon } from '../design/icons.tsx';
import { useErrorWords } from '../i18n/use-error-words.ts';
import { CopyButton } from './copy-button.tsx';

/** A question that the engine could not answer: the sentence, its code, and what can be done. */
export function QueryError({ error }: { readonly error: EngineError }) {
  const { t } = useTranslation();
  const { message, remedy } = useErrorWords()(error);
  const details = () => `${error.code}: ${error.message}\n${error.remedy}\n`;
  return (
    <div className="query-error" role="alert">
      <Icon name="failure" />
      <div>
        <p>{message}</p>
        {remedy === '' ? null : <p className="small quiet">{remedy}</p>}
        <p className="caption">
          <code>{error.code}</code>
        </p>
      </div>
      <CopyButton label={t('action.copyDetails')} text={details} />
    </div>
  );
}
