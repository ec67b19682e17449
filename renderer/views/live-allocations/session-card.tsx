import { useTranslation } from 'react-i18next';
import type { AllocationSession } from '../../../app/contract/allocations.ts';
import { Icon } from '../../design/icons.tsx';
import { useEngine } from '../../engine/engine.ts';
import { CopyButton } from '../../frame/copy-button.tsx';
import { useErrorWords } from '../../i18n/use-error-words.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { callAllocations, watchSession } from '../../state/allocations.ts';

/** One program: what it sent, what is wrong with it, and what can be done. */
export function SessionCard({ session }: { readonly session: AllocationSession }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { producer, pid, state, events, held, rate, bytes, limitBytes, path, isSaved } = session;
  const started = new Date(session.startedMs).toLocaleTimeString(format.locale);
  return (
    <li className="card session-card">
      <header>
        <b className="ellipsis">{producer}</b>
        <span className="quiet small">
          {pid === null
            ? t('allocations.since', { time: started })
            : t('allocations.process', { pid, time: started })}
        </span>
        <StatePill session={session} />
      </header>
      <dl className="session-numbers">
        <Figure
          name={t('allocations.figures.events')}
          value={format.count(events)}
          note={held === 0 ? undefined : t('allocations.held', { count: held, blocks: format.count(held) })}
        />
        {state === 'connected' ? (
          <Figure name={t('allocations.figures.rate')} value={format.count(Math.round(rate))} />
        ) : null}
        <Figure
          name={t('allocations.figures.missing')}
          value={missingOf(session, t('unknown'), format.count)}
        />
        <Figure
          name={t('allocations.figures.size')}
          value={format.bytes(bytes)}
          note={t('allocations.limit', { limit: format.bytes(limitBytes) })}
        />
      </dl>
      <Troubles session={session} />
      <p className="session-path small quiet">
        <span className="mono ellipsis" title={path}>
          {path}
        </span>
        <CopyButton label={t('allocations.copyPath')} text={() => path} />
        {isSaved ? <span>{t('allocations.saved')}</span> : null}
      </p>
      <SessionActions session={session} />
    </li>
  );
}

function missingOf(
  { dropped, gaps }: AllocationSession,
  unknown: string,
  count: (value: number) => string,
): string {
  return gaps > 0 && dropped === 0 ? unknown : count(dropped);
}

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly note?: string | undefined;
}

function Figure({ name, value, note }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
      {note === undefined ? null : <dd className="session-note">{note}</dd>}
    </div>
  );
}

function StatePill({ session }: { readonly session: AllocationSession }) {
  const { t } = useTranslation();
  const { state, end } = session;
  if (state === 'connected') {
    return (
      <span className="pill good">
        <Icon name="live" />
        {t('allocations.state.connected')}
      </span>
    );
  }
  const isFault = end === 'limit' || end === 'disk' || end === 'refused' || end === 'lost';
  return (
    <span className={`pill ${state === 'away' || isFault ? 'caution' : 'note'}`}>
      <Icon name={state === 'away' || isFault ? 'caution' : 'good'} />
      {end === null ? t('allocations.state.away') : t(`allocations.end.${end}`)}
    </span>
  );
}

/** What a person should know of this session, a sentence each. */
function Troubles({ session }: { readonly session: AllocationSession }) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useErrorWords();
  const { problem, unreadable, cutBytes, gaps, dropped, state } = session;
  const sentences = [
    problem === null ? null : `${words(problem).message} ${words(problem).remedy}`.trim(),
    state === 'away' ? t('allocations.troubles.away') : null,
    unreadable === null
      ? null
      : t('allocations.troubles.unreadable', {
          count: unreadable.count,
          lines: format.count(unreadable.count),
          line: format.count(unreadable.line),
        }),
    cutBytes === 0 ? null : t('allocations.troubles.cut', { bytes: format.exact(cutBytes) }),
    gaps === 0
      ? null
      : t(dropped === 0 ? 'allocations.troubles.gapUnknown' : 'allocations.troubles.gap', {
          count: dropped,
          events: format.count(dropped),
        }),
  ].filter((sentence) => sentence !== null);
  if (sentences.length === 0) return null;
  return (
    <ul className="session-troubles small">
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

function SessionActions({ session }: { readonly session: AllocationSession }) {
  const { t } = useTranslation();
  const engine = useEngine();
  const { state, isSaved, events, held } = session;
  const isEmpty = events + held === 0;
  return (
    <div className="session-actions">
      <button
        type="button"
        className="button primary"
        disabled={isEmpty}
        onClick={() => void watchSession(engine, session.session)}
      >
        {t(state === 'ended' ? 'allocations.open' : 'allocations.watch')}
      </button>
      {state === 'ended' ? null : (
        <button
          type="button"
          className="button"
          onClick={() => void callAllocations(engine, 'allocationsStop', session.session)}
        >
          {t('allocations.stop')}
        </button>
      )}
      {state === 'ended' && !isSaved ? (
        <button
          type="button"
          className="button"
          onClick={() => void callAllocations(engine, 'allocationsSave', session.session)}
        >
          {t('allocations.save')}
        </button>
      ) : null}
      {isEmpty ? <span className="small quiet">{t('allocations.nothingYet')}</span> : null}
    </div>
  );
}
