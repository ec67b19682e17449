import { useTranslation } from 'react-i18next';
import { lastEvent } from '../commands/cursor.ts';
import { Icon } from '../design/icons.tsx';
import { useEngine } from '../engine/engine.ts';
import { useFormat } from '../i18n/use-format.ts';
import { useActiveTrace, useUpdateTrace } from '../state/active-trace.ts';
import { callAllocations, useAllocations } from '../state/allocations.ts';
import { isAtEnd } from '../state/growth.ts';
import { fullRange } from '../state/store.ts';

/** Above the views of a trace that is being received: how it goes on, and what can be done about it. */
export function GrowthBar() {
  const { t } = useTranslation();
  const format = useFormat();
  const engine = useEngine();
  const trace = useActiveTrace();
  const update = useUpdateTrace();
  const { growth } = trace.info;
  const session = useAllocations((state) =>
    state.now?.sessions.find((one) => one.session === growth?.session),
  );
  if (growth === null || session === undefined || (growth.isOver && session.isSaved)) return null;
  const { state, events, held, rate, dropped, gaps, bytes } = session;
  const follows = isAtEnd(trace) && trace.cursor >= lastEvent(trace);
  const follow = () => {
    update({ cursor: lastEvent(trace), range: fullRange(trace.info, trace.device, trace.axis) });
  };
  return (
    <section className="growth-bar" aria-label={t('allocations.bar')}>
      <Icon name="live" />
      <p>
        <b>{t(`allocations.state.${state}`)}</b>
        <span>{t('allocations.events', { count: events, events: format.count(events) })}</span>
        {held === 0 ? null : (
          <span>{t('allocations.held', { count: held, blocks: format.count(held) })}</span>
        )}
        {state === 'connected' ? (
          <span>{t('allocations.rate', { rate: format.count(Math.round(rate)) })}</span>
        ) : null}
        <span>{format.bytes(bytes)}</span>
        {gaps === 0 ? null : (
          <span className="growth-missing">
            {t(dropped === 0 ? 'allocations.missingUnknown' : 'allocations.missing', {
              count: dropped,
              events: format.count(dropped),
            })}
          </span>
        )}
      </p>
      <div className="banner-actions">
        {state === 'ended' ? null : <Following isFollowing={follows} onFollow={follow} />}
        {state === 'ended' ? (
          <button
            type="button"
            className="button"
            onClick={() => void callAllocations(engine, 'allocationsSave', session.session)}
          >
            {t('allocations.save')}
          </button>
        ) : (
          <button
            type="button"
            className="button"
            onClick={() => void callAllocations(engine, 'allocationsStop', session.session)}
          >
            {t('allocations.stop')}
          </button>
        )}
      </div>
    </section>
  );
}

/** Whether cursor and window go along with the end, or the way back to it. */
function Following({ isFollowing, onFollow }: { readonly isFollowing: boolean; onFollow(): void }) {
  const { t } = useTranslation();
  if (isFollowing) {
    return (
      <span className="pill note">
        <Icon name="good" />
        {t('allocations.follows')}
      </span>
    );
  }
  return (
    <button type="button" className="button" onClick={onFollow}>
      {t('allocations.follow')}
    </button>
  );
}
