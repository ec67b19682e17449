import { useTranslation } from 'react-i18next';
import { type CommandId, keysOf } from '../../commands/commands.ts';
import { writeKeys } from '../../commands/keys.ts';
import { useRunCommand } from '../../commands/use-commands.ts';
import { Icon } from '../../design/icons.tsx';
import { usePlatform } from '../../engine/platform.ts';
import { CopyButton } from '../../frame/copy-button.tsx';
import { useOpenings } from '../../state/openings.ts';
import { RecordLink } from '../record/record-link.tsx';
import { OpeningCard } from './opening-card.tsx';
import { Recents } from './recents.tsx';
import { Samples } from './samples.tsx';

const KEYS: readonly CommandId[] = ['open', 'record', 'settings', 'help'];

/** What can be opened: a file, something that was open before, a sample. */
export function Start() {
  const { t } = useTranslation();
  const openings = useOpenings((state) => state.openings);
  return (
    <main className="page start">
      <div className="start-columns">
        <div className="start-main">
          <h1>{t('start.title')}</h1>
          <p className="start-lead">{t('start.lead')}</p>
          <DropArea />
          {openings.map((opening) => (
            <OpeningCard key={opening.id} opening={opening} />
          ))}
          <Recents />
          <Samples />
        </div>
        <aside className="start-side" aria-label={t('start.keys')}>
          <h2>{t('start.record')}</h2>
          <p className="small quiet">{t('start.recordWhy')}</p>
          <pre className="command">{t('start.recordCode')}</pre>
          <p className="start-record">
            <RecordLink guide="pytorch" isPlain />
            <CopyButton label={t('record.copy')} text={() => t('start.recordCode')} />
          </p>
          <h2>{t('start.keys')}</h2>
          <dl className="pairs">
            {KEYS.map((id) => (
              <KeyRow key={id} id={id} />
            ))}
          </dl>
        </aside>
      </div>
    </main>
  );
}

function DropArea() {
  const { t } = useTranslation();
  const run = useRunCommand();
  return (
    <div className="drop-area">
      <div className="drop-icon">
        <Icon name="open" />
      </div>
      <div className="drop-words">
        <b>{t('start.drop')}</b>
        <p className="small quiet">{t('start.formats')}</p>
      </div>
      <button type="button" className="button primary" onClick={() => run('open')}>
        {t('start.open')}
      </button>
    </div>
  );
}

function KeyRow({ id }: { readonly id: CommandId }) {
  const { t } = useTranslation();
  const { kind, isMac } = usePlatform();
  const keys = keysOf(id, kind)[0];
  return (
    <>
      <dt>{t(`commands.${id}`)}</dt>
      <dd>{keys === undefined ? null : <kbd className="key">{writeKeys(keys, isMac)}</kbd>}</dd>
    </>
  );
}
