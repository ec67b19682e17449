import { useTranslation } from 'react-i18next';
import type { LeftRecording } from '../../../app/contract/allocations.ts';
import { useEngine } from '../../engine/engine.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { callAllocations } from '../../state/allocations.ts';
import { knownFile, openFile } from '../../state/openings.ts';

/** What an earlier run left behind, to be opened, or discarded with a while to think better of it. */
export function LeftRecordings({ left }: { readonly left: readonly LeftRecording[] }) {
  const { t } = useTranslation();
  return (
    <section className="left-recordings" aria-label={t('allocations.left.title')}>
      <h2>{t('allocations.left.title')}</h2>
      <p className="small quiet">{t('allocations.left.why')}</p>
      <ul>
        {left.map((recording) => (
          <Row key={recording.path} recording={recording} />
        ))}
      </ul>
    </section>
  );
}

function Row({ recording }: { readonly recording: LeftRecording }) {
  const { t } = useTranslation();
  const format = useFormat();
  const engine = useEngine();
  const { path, name, bytes, changedMs, isDiscarded } = recording;
  const shown = name.replace(/ \[\d+\]/, '');
  const method = isDiscarded ? 'allocationsRestore' : 'allocationsDiscard';
  return (
    <li data-discarded={isDiscarded || undefined}>
      <span className="left-name" title={path}>
        {shown}
      </span>
      <span className="small quiet" role="status">
        {isDiscarded
          ? t('allocations.left.discarded')
          : `${format.bytes(bytes)} · ${new Date(changedMs).toLocaleString(format.locale)}`}
      </span>
      <div className="left-actions">
        {isDiscarded ? null : (
          <button
            key="open"
            type="button"
            className="button"
            onClick={() => void openFile(engine, knownFile({ kind: 'path', path }, name))}
          >
            {t('allocations.open')}
          </button>
        )}
        <button
          key="discard"
          type="button"
          className="button"
          aria-label={t(`allocations.left.${isDiscarded ? 'undoNamed' : 'discardNamed'}`, { name: shown })}
          onClick={() => void callAllocations(engine, method, name)}
        >
          {t(`allocations.left.${isDiscarded ? 'undo' : 'discard'}`)}
        </button>
      </div>
    </li>
  );
}
