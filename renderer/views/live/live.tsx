import { useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { LiveInfo, LiveNow } from '../../../app/contract/live.ts';
import { useSize } from '../../charts/canvas.tsx';
import { GUTTER, RIGHT_MARGIN } from '../../charts/viewport.ts';
import { Segmented } from '../../design/segmented.tsx';
import { useEngine } from '../../engine/engine.ts';
import { QueryError } from '../../frame/query-error.tsx';
import { AlertLimits, Alerts } from './alerts.tsx';
import { EventList } from './event-list.tsx';
import { GpuCards } from './gpu-cards.tsx';
import { gpuName } from './gpu-name.ts';
import { GpuLanes } from './lanes.tsx';
import { SPANS, useLiveStore } from './live-store.ts';
import { NoGpu } from './no-gpu.tsx';
import { ProcessTable } from './process-table.tsx';
import { RecordingBar } from './recording-bar.tsx';
import { type LiveData, useLive } from './use-live.ts';
import { useLiveSentence } from './use-live-sentence.ts';
import './live.css';

const SECOND = 1e9;

/** What are the GPUs doing now? */
export function Live() {
  const { t } = useTranslation();
  const [place, size] = useSize<HTMLDivElement>();
  const width = Math.max(0, Math.floor(size.width - GUTTER - RIGHT_MARGIN));
  const live = useLive(Math.min(width, 2000));
  const { scenario, spanSeconds, heldAt, set } = useLiveStore();
  const { info, now, error } = live;
  const sentence = useLiveSentence(info, now);
  const hasGpus = info !== null && info.gpus.length > 0;
  return (
    <main className="view live-view" data-view="live">
      <header className="view-header">
        <div className="view-header-words">
          <h1>
            {t('views.live')}
            {scenario === null ? null : <span className="pill note">{t('live.simulated.pill')}</span>}
          </h1>
          <p aria-live="polite">{sentence}</p>
        </div>
        <div className="view-header-controls">
          {scenario === null ? null : (
            <button
              type="button"
              className="button"
              onClick={() => set({ scenario: null, gpu: 0, heldAt: null })}
            >
              {t('live.simulated.stop')}
            </button>
          )}
          {hasGpus ? (
            <>
              {heldAt === null ? null : <span className="pill caution">{t('live.held')}</span>}
              <Segmented
                label={t('live.span')}
                value={String(spanSeconds)}
                options={SPANS.map((span) => ({ value: String(span), label: t(`live.spans.${span}`) }))}
                onChange={(span) => set({ spanSeconds: Number(span) })}
              />
            </>
          ) : (
            <button type="button" className="button" onClick={live.again}>
              {t('live.again')}
            </button>
          )}
        </div>
      </header>
      {error !== null ? (
        <div className="empty-view">
          <QueryError error={error} />
        </div>
      ) : info === null || (!hasGpus && !info.isComplete) ? (
        <p className="live-looking quiet">{t('live.looking')}</p>
      ) : !hasGpus ? (
        <NoGpu info={info} />
      ) : (
        <LiveContent live={live} info={info} now={now} place={place} width={width} />
      )}
    </main>
  );
}

interface LiveContentProps {
  readonly live: LiveData;
  readonly info: LiveInfo;
  readonly now: LiveNow | null;
  readonly place: React.RefObject<HTMLDivElement | null> | ((element: HTMLDivElement | null) => void);
  readonly width: number;
}

function LiveContent({ live, info, now, place, width }: LiveContentProps) {
  const { t } = useTranslation();
  const { gpu, limits, set } = useLiveStore();
  const chosen = Math.min(gpu, info.gpus.length - 1);
  const mark = useMark(live);
  useLiveKeys(live, mark);
  const { from, to } = live.window;
  const marks = live.events
    .filter((event) => event.kind === 'mark' && event.time >= from && event.time <= to)
    .map((event) => ((event.time - from) / (to - from)) * width);
  return (
    <>
      {now?.stuck ? (
        <div className="banner banner-caution" role="alert">
          {t('live.stuck', { call: now.stuck.call, seconds: Math.round(now.stuck.for / SECOND) })}
        </div>
      ) : null}
      <Alerts gpus={info.gpus} now={now?.gpus ?? []} limits={limits} />
      <div className="live-content">
        <div className="live-main">
          <GpuCards
            gpus={info.gpus}
            now={now?.gpus ?? []}
            chosen={chosen}
            onChoose={(position) => {
              set({ gpu: position });
              live.refresh();
            }}
          />
          <div className="live-lanes" ref={place}>
            {live.series === null ? null : (
              <GpuLanes
                series={live.series}
                width={width}
                marks={marks}
                slowdown={info.gpus[chosen]?.slowdown ?? null}
              />
            )}
            <LiveAxis width={width} />
          </div>
        </div>
        <aside className="live-aside" aria-label={t('live.details')}>
          <ProcessTable
            now={now?.gpus[chosen]}
            title={t('live.processes.title', { gpu: gpuName(info.gpus, chosen) })}
          />
          <AlertLimits limits={limits} onChange={(next) => set({ limits: next })} />
          <EventList events={live.events} gpus={info.gpus} originMs={now?.originMs ?? 0} />
          <p className="small quiet">{t('live.totalsOnly')}</p>
        </aside>
      </div>
      {now === null ? null : <RecordingBar now={now} onChange={live.refresh} onMark={mark} />}
    </>
  );
}

/** −60 s … now. */
function LiveAxis({ width }: { readonly width: number }) {
  const { t } = useTranslation();
  const spanSeconds = useLiveStore((state) => state.spanSeconds);
  const steps = 6;
  return (
    <div className="live-axis" aria-hidden="true" style={{ marginLeft: GUTTER, width }}>
      {Array.from({ length: steps + 1 }, (_, step) => {
        const seconds = Math.round(spanSeconds * (1 - step / steps));
        return <span key={seconds}>{seconds === 0 ? t('live.now') : t('live.ago', { seconds })}</span>;
      })}
    </div>
  );
}

function useMark(live: LiveData): () => void {
  const { t } = useTranslation();
  const engine = useEngine();
  const count = useRef(0);
  return () => {
    count.current += 1;
    void engine.call('liveMark', { text: t('live.markName', { number: count.current }) }).then(live.refresh);
  };
}

/** Space holds the picture while sampling goes on; M marks the moment. */
function useLiveKeys(live: LiveData, mark: () => void): void {
  const latest = useRef({ live, mark });
  latest.current = { live, mark };
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target instanceof HTMLElement ? event.target : null;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (target !== null && /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
      if (event.key === ' ' && target?.closest('button') != null) return; // presses it
      if (event.key === ' ') {
        const { heldAt, set } = useLiveStore.getState();
        set({ heldAt: heldAt === null ? latest.current.live.window.to : null });
        latest.current.live.refresh();
      } else if (event.key === 'm') {
        latest.current.mark();
      } else {
        return;
      }
      event.preventDefault();
    };
    addEventListener('keydown', onKey, { capture: true });
    return () => removeEventListener('keydown', onKey, { capture: true });
  }, []);
}
