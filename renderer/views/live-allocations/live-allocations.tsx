import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { AllocationsNow } from '../../../app/contract/allocations.ts';
import { useEngine } from '../../engine/engine.ts';
import { QueryError } from '../../frame/query-error.tsx';
import { useErrorWords } from '../../i18n/use-error-words.ts';
import { callAllocations, stopListening, useAllocations } from '../../state/allocations.ts';
import { ConnectCard } from './connect-card.tsx';
import { LeftRecordings } from './left-recordings.tsx';
import { LivePages } from './live-pages.tsx';
import { SessionCard } from './session-card.tsx';
import './live-allocations.css';

/** What do running programs allocate? */
export function LiveAllocations() {
  const { t } = useTranslation();
  const engine = useEngine();
  const { now, error, isStopped } = useAllocations();
  useLooking();
  const isListening = now !== null && now.endpoint !== null;
  return (
    <main className="view live-view" data-view="allocations">
      <header className="view-header">
        <div className="view-header-words">
          <h1>{t('allocations.title')}</h1>
          <p aria-live="polite">
            <Sentence now={now} />
          </p>
        </div>
        <div className="view-header-controls">
          {isListening ? (
            <button type="button" className="button" onClick={() => void stopListening(engine)}>
              {t('allocations.stopListening')}
            </button>
          ) : isStopped || error !== null ? (
            <button
              type="button"
              className="button"
              onClick={() => void callAllocations(engine, 'allocationsListen')}
            >
              {t('allocations.listen')}
            </button>
          ) : null}
          <LivePages page="allocations" />
        </div>
      </header>
      {error === null ? null : (
        <div className="empty-view">
          <QueryError error={error} />
        </div>
      )}
      {now === null ? null : <Content now={now} />}
    </main>
  );
}

/** While the page is on screen, the engine listens and is asked how things stand. */
function useLooking(): void {
  const engine = useEngine();
  useEffect(() => {
    useAllocations.setState(({ lookers }) => ({ lookers: lookers + 1 }));
    const { isStopped, now } = useAllocations.getState();
    if (!isStopped && now?.endpoint == null) void callAllocations(engine, 'allocationsListen');
    return () => useAllocations.setState(({ lookers }) => ({ lookers: lookers - 1 }));
  }, [engine]);
}

function Sentence({ now }: { readonly now: AllocationsNow | null }) {
  const { t } = useTranslation();
  if (now === null) return null;
  if (now.endpoint === null) return t('allocations.sentence.off');
  const connected = now.sessions.filter(({ state }) => state === 'connected');
  const [first] = connected;
  if (first === undefined) return t('allocations.sentence.waiting');
  return connected.length === 1
    ? t('allocations.sentence.one', { producer: first.producer })
    : t('allocations.sentence.several', { count: connected.length });
}

/** Those that send come first. */
const RANK = { connected: 0, away: 1, ended: 2 } as const;

function Content({ now }: { readonly now: AllocationsNow }) {
  const { t } = useTranslation();
  const { endpoint, refused, left } = now;
  const sessions = now.sessions.toSorted((one, other) => RANK[one.state] - RANK[other.state]);
  return (
    <div className="page live-allocations">
      <div>
        {sessions.length > 0 ? (
          <ul className="session-list" aria-label={t('allocations.sessions')}>
            {sessions.map((session) => (
              <SessionCard key={session.session} session={session} />
            ))}
          </ul>
        ) : (
          <Nobody isListening={endpoint !== null} />
        )}
        {refused === null ? null : <Refused refused={refused} />}
        {left.length === 0 ? null : <LeftRecordings left={left} />}
      </div>
      {endpoint === null ? null : <ConnectCard endpoint={endpoint} />}
    </div>
  );
}

function Nobody({ isListening }: { readonly isListening: boolean }) {
  const { t } = useTranslation();
  const steps = ['connect', 'watch', 'save'] as const;
  if (!isListening) return <p className="quiet">{t('allocations.off')}</p>;
  return (
    <>
      <h2 className="nobody-title">{t('allocations.nobody.title')}</h2>
      <p className="quiet">{t('allocations.nobody.why')}</p>
      <ol className="nobody-steps">
        {steps.map((step, position) => (
          <li key={step}>
            <span className="step-number" aria-hidden="true">
              {position + 1}
            </span>
            <div>
              <b>{t(`allocations.nobody.${step}`)}</b>
              <p className="small quiet">{t(`allocations.nobody.${step}How`)}</p>
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}

function Refused({ refused }: { readonly refused: NonNullable<AllocationsNow['refused']> }) {
  const { t } = useTranslation();
  const words = useErrorWords();
  const { message, remedy } = words(refused.last);
  return (
    <section className="turned-away" aria-label={t('allocations.refused.title')}>
      <h2>{t('allocations.refused.title')}</h2>
      <p className="small quiet">
        {t('allocations.refused.so', { count: refused.count })} {message} {remedy}
      </p>
    </section>
  );
}
