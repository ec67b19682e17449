import { useTranslation } from 'react-i18next';
import type { ReportWarning } from '../../../app/contract/report.ts';
import { CopyButton } from '../../frame/copy-button.tsx';
import { useErrorWords } from '../../i18n/use-error-words.ts';
import { usePlace } from '../start/opening-card.tsx';
import { Card, Pill } from './card.tsx';
import { type Hint, hintsOf } from './hints.ts';
import type { OverviewData } from './use-overview.ts';

/** Warnings that a hint says already, with what to do. */
const SAID_BY_HINTS: ReadonlySet<string> = new Set([
  'no-history',
  'state-only',
  'no-stacks',
  'ring-overflow',
]);

/** What this capture does not say, and how to record one that does. */
export function HintsCard({ data }: { readonly data: OverviewData }) {
  const { t } = useTranslation();
  const { report, device, peak, sites, marks } = data;
  const hints = hintsOf(report, device, peak, sites, marks.annotations.length);
  const others = report.warnings.filter((warning) => !SAID_BY_HINTS.has(warning.code));
  // Of other formats, no warning means no more than that nothing went wrong.
  const isWhole = report.format === 'pytorch-snapshot' && hints.length === 0 && report.warnings.length === 0;
  if (hints.length === 0 && others.length === 0 && !isWhole) return null;
  return (
    <Card
      span={8}
      title={t('hints.title')}
      badge={isWhole ? <Pill tone="good">{t('hints.none')}</Pill> : null}
    >
      {isWhole ? <p>{t('hints.complete')}</p> : null}
      <ul className="hints">
        {hints.map((hint) => (
          <HintRow key={hint.name} hint={hint} />
        ))}
      </ul>
      <ul className="warnings">
        {others.map((warning) => (
          <WarningRow key={`${warning.code} ${warning.message}`} warning={warning} />
        ))}
      </ul>
    </Card>
  );
}

function HintRow({ hint }: { readonly hint: Hint }) {
  const { t } = useTranslation();
  return (
    <li className="hint">
      <div>
        <b>{t(`hints.${hint.name}.lacks`)}</b>
        <p>{t(`hints.${hint.name}.how`)}</p>
      </div>
      {hint.code === '' ? null : (
        <div className="hint-code">
          <pre className="command">{hint.code}</pre>
          <CopyButton label={t('hints.copy')} text={() => hint.code} />
        </div>
      )}
    </li>
  );
}

function WarningRow({ warning }: { readonly warning: ReportWarning }) {
  const place = usePlace(warning.position);
  const { message } = useErrorWords()(warning);
  return (
    <li className="small quiet">
      {message}{' '}
      <span className="caption">
        <code>{warning.code}</code>
        {place === '' ? '' : ` · ${place}`}
      </span>
    </li>
  );
}
