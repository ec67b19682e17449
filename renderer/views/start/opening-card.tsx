import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { EngineError, Position } from '../../../app/contract/error.ts';
import type { RecordGuideId } from '../../../app/help/record.ts';
import { Icon } from '../../design/icons.tsx';
import { useErrorWords } from '../../i18n/use-error-words.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { dismissOpening, type Opening } from '../../state/openings.ts';
import { RecordLink } from '../record/record-link.tsx';

/** One capture on its way: what it is at once, then how far it is, then what went wrong. */
export function OpeningCard({ opening }: { readonly opening: Opening }) {
  return opening.error === null ? (
    <Progress opening={opening} />
  ) : (
    <Refused opening={opening} error={opening.error} />
  );
}

function Progress({ opening }: { readonly opening: Opening }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { progress, sent, bytes, name } = opening;
  const [done, total] = progress === null ? [sent ?? 0, bytes ?? 0] : [progress.done, progress.total];
  const stage = progress?.stage ?? (sent === null ? 'start' : 'upload');
  const inBytes = stage === 'upload' || stage === 'read' || stage === 'unpack';
  return (
    <section className="card opening" aria-label={t('opening.title', { name })}>
      <div className="opening-head">
        <div className="opening-words">
          <b className="ellipsis">{name}</b>
          <p className="small quiet" role="status">
            {t(`opening.stage.${stage}`)}
          </p>
        </div>
        <button type="button" className="button" onClick={opening.cancel}>
          {t('action.cancel')}
        </button>
      </div>
      <progress
        className="progress"
        aria-label={t(`opening.stage.${stage}`)}
        {...(total > 0 ? { max: total, value: done } : {})}
      />
      <p className="caption opening-numbers">
        <span>
          {total > 0 && inBytes
            ? t('opening.bytes', { done: format.bytes(done), total: format.bytes(total) })
            : bytes === null
              ? ''
              : format.bytes(bytes)}
        </span>
        <span>
          {progress === null || progress.events === 0
            ? ''
            : t('opening.events', { events: format.count(progress.events) })}
        </span>
      </p>
    </section>
  );
}

function Refused({ opening, error }: { readonly opening: Opening; readonly error: EngineError }) {
  const { t } = useTranslation();
  const [isCopied, setCopied] = useState(false);
  const place = usePlace(error.position);
  const { message, remedy } = useErrorWords()(error);
  const copy = async () => {
    const details = [opening.name, `${error.code}: ${error.message}`, place, error.remedy];
    await navigator.clipboard.writeText(`${details.filter((line) => line !== '').join('\n')}\n`);
    setCopied(true);
  };
  return (
    <section className="card opening refused" role="alert">
      <div className="opening-head">
        <Icon name="failure" />
        <div className="opening-words">
          <b>{t('opening.refused', { name: opening.name })}</b>
          <p>{message}</p>
          {remedy === '' ? null : <p className="quiet">{remedy}</p>}
          <p className="caption">
            <code>{error.code}</code>
            {place === '' ? null : <span> · {place}</span>}
          </p>
        </div>
      </div>
      <div className="opening-actions">
        <button type="button" className="button" onClick={() => void copy()}>
          <Icon name="copy" isSmall />
          {isCopied ? t('action.copied') : t('action.copyDetails')}
        </button>
        <RecordLink guide={guideOfError(error.code)} isPlain />
        <button type="button" className="button ghost" onClick={() => dismissOpening(opening.id)}>
          {t('action.dismiss')}
        </button>
      </div>
    </section>
  );
}

/** What the code of an error says of the kind of file, if anything. */
function guideOfError(code: string): RecordGuideId {
  const kinds: readonly (readonly [RegExp, RecordGuideId])[] = [
    [/^nsight/, 'nsight'],
    [/^gpu-recording/, 'gpus'],
    [/^(xplane|xspace|tensorboard)/, 'xprof'],
    [/^(hlo|xla)/, 'xlaHlo'],
    [/^jax/, 'jaxProfile'],
    [/^(bfc|tensorflow)/, 'bfcLog'],
    [/^rmm/, 'rmm'],
    [/^(kineto|chrome)/, 'kineto'],
    [/^generic/, 'generic'],
  ];
  return kinds.find(([pattern]) => pattern.test(code))?.[1] ?? 'pytorch';
}

/** Where in the file, in words. */
export function usePlace(position: Position | null): string {
  const { t } = useTranslation();
  const format = useFormat();
  if (position === null) return '';
  if ('byte' in position) return t('position.byte', { at: format.count(position.byte) });
  if ('line' in position) return t('position.line', { at: format.count(position.line) });
  return t('position.row', { at: format.count(position.row) });
}
