import { useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { LiveEvent, LiveInfo, LiveNow } from '../../../app/contract/live.ts';
import { useSize } from '../../charts/canvas.tsx';
import { GUTTER, RIGHT_MARGIN } from '../../charts/viewport.ts';
import { Choice } from '../../design/choice.tsx';
import { Icon } from '../../design/icons.tsx';
import { Segmented } from '../../design/segmented.tsx';
import { useEngine } from '../../engine/engine.ts';
import { QueryError } from '../../frame/query-error.tsx';
import { Tip } from '../../frame/tip.tsx';
import { useFormat } from '../../i18n/use-format.ts';
import { LivePages } from '../live-allocations/live-pages.tsx';
import { ShowHow } from '../live-allocations/show-how.tsx';
import { AlertLimits, Alerts } from './alerts.tsx';
import { EventList } from './event-list.tsx';
import { GpuCards } from './gpu-cards.tsx';
import { gpuName } from './gpu-name.ts';
import { GpuLanes } from './lanes.tsx';
import { NO_LIMITS } from './limits.ts';
import { RATES, SPANS, useLiveStore } from './live-store.ts';
import { LiveTable } from './live-table.tsx';
import { NoGpu } from './no-gpu.tsx';
import { ProcessTable } from './process-table.tsx';
import { RecordingBar } from './recording-bar.tsx';
import { type LiveData, useLive } from './use-live.ts';
import { toggleTable, useLiveKeys } from './use-live-keys.ts';
import { useLiveSentence } from './use-live-sentence.ts';
import './live.css';
import { RecordLink } from '../record/record-link.tsx';

const SECOND = 1e9;

/** What are the GPUs doing now? */
export function Live() {
  const { t } = useTranslation();
  const [place, size] = useSize<HTMLDivElement>();
  const width = Math.max(0, Math.floor(size.width - GUTTER - RIGHT_MARGIN));
  const live = useLive(Math.min(width, 2000));
  const { scenario, spanSeconds, heldAt, isTableOpen, set } = useLiveStore();
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
          <p aria-hidden="true">{sentence.shown}</p>
          <p className="unseen" aria-live="polite">
            {sentence.announced}
          </p>
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
              <RateChoice hz={now?.hz ?? null} onChange={live.refresh} />
              <Segmented
                label={t('live.span')}
                value={String(spanSeconds)}
                options={SPANS.map((span) => ({ value: String(span), label: t(`live.spans.${span}`) }))}
                onChange={(span) => set({ spanSeconds: SPANS.find((one) => String(one) === span) ?? 60 })}
              />
              <Tip label={t(isTableOpen ? 'live.table.backTip' : 'live.table.tip')} keyName="T">
                <button
                  type="button"
                  className="button ghost"
                  aria-label={t('live.table.name')}
                  aria-pressed={isTableOpen}
                  onClick={() => toggleTable(live)}
                >
                  <Icon name="table" />
                  <span className="wide-only">{t('live.table.name')}</span>
                </button>
              </Tip>
            </>
          ) : (
            <button type="button" className="button" onClick={live.again}>
              {t('live.again')}
            </button>
          )}
          <LivePages page="live" />
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
        <LiveContent live={live} info={info} now={now} place={place} width={width} room={size.height} />
      )}
    </main>
  );
}

interface RateChoiceProps {
  /** What the engine samples at, which another page may have set. */
  readonly hz: number | null;
  onChange(): void;
}

function RateChoice({ hz, onChange }: RateChoiceProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const labelId = useId();
  const engine = useEngine();
  const { hz: wanted, set } = useLiveStore();
  const current = hz ?? wanted;
  const rates = [...new Set([...RATES, current])].sort((one, other) => one - other);
  const choose = async (next: number) => {
    set({ hz: next });
    await engine.call('liveRate', { hz: next });
    onChange();
  };
  return (
    <>
      <span id={labelId} className="unseen">
        {t('live.rate.label')}
      </span>
      <Choice
        labelId={labelId}
        value={String(current)}
        options={rates.map((rate) => ({
          value: String(rate),
          label: t('live.rate.hz', { hz: format.number(rate) }),
        }))}
        onChange={(next) => void choose(Number(next))}
      />
    </>
  );
}

interface LiveContentProps {
  readonly live: LiveData;
  readonly info: LiveInfo;
  readonly now: LiveNow | null;
  readonly place: React.RefObject<HTMLDivElement | null> | ((element: HTMLDivElement | null) => void);
  readonly width: number;
  /** Pixels that there are for the lanes. */
  readonly room: number;
}

function LiveContent({ live, info, now, place, width, room }: LiveContentProps) {
  const { t } = useTranslation();
  const { gpu, limits, heldAt, isTableOpen, spanSeconds, set } = useLiveStore();
  const chosen = Math.min(gpu, info.gpus.length - 1);
  const mark = useMark(live);
  useLiveKeys(live, mark);
  const { from, to } = live.window;
  const marks = live.events
    .filter((event) => isDrawn(event, chosen) && event.time >= from && event.time <= to)
    .map((event) => ((event.time - from) / (to - from)) * width);
  const id = info.gpus[chosen]?.id ?? '';
  return (
    <>
      {now?.stuck ? (
        <div className="banner banner-caution" role="alert">
          {t('live.stuck', { call: now.stuck.call, seconds: Math.round(now.stuck.for / SECOND) })}
        </div>
      ) : null}
      <Alerts gpus={info.gpus} now={now?.gpus ?? []} />
      <div className="live-content">
        <div className="live-main" data-table={isTableOpen || undefined}>
          <GpuCards
            gpus={info.gpus}
            now={now?.gpus ?? []}
            chosen={chosen}
            onChoose={(position) => {
              set({ gpu: position });
              live.refresh();
            }}
          />
          {isTableOpen && heldAt !== null && now !== null ? (
            <LiveTable
              gpu={chosen}
              name={gpuName(info.gpus, chosen)}
              heldAt={heldAt}
              spanSeconds={spanSeconds}
              hz={now.hz}
              originMs={now.originMs}
            />
          ) : (
            <div className="live-lanes" ref={place}>
              {live.series === null ? null : (
                <GpuLanes
                  series={live.series}
                  width={width}
                  marks={marks}
                  slowdown={info.gpus[chosen]?.slowdown ?? null}
                  limits={limits[id] ?? NO_LIMITS}
                  room={room}
                />
              )}
              <LiveAxis width={width} now={now} />
            </div>
          )}
        </div>
        <aside className="live-aside" aria-label={t('live.details')}>
          <ProcessTable
            now={now?.gpus[chosen]}
            title={t('live.processes.title', { gpu: gpuName(info.gpus, chosen) })}
          />
          <AlertLimits gpus={info.gpus} chosen={chosen} />
          <EventList events={live.events} gpus={info.gpus} originMs={now?.originMs ?? 0} />
          <p className="small quiet">
            {t('live.totalsOnly')} <ShowHow />
          </p>
          <RecordLink guide="pytorch" isPlain />
        </aside>
      </div>
      {now === null ? null : <RecordingBar now={now} onChange={live.refresh} onMark={mark} />}
    </>
  );
}

/** What has a line in the lanes: moments that the user marked, and limits of this GPU that were reached. */
function isDrawn({ kind, gpu }: LiveEvent, chosen: number): boolean {
  return kind === 'mark' || (kind.endsWith('-limit') && gpu === chosen);
}

/** −60 s … now; in the gutter, how far samples lie apart. */
function LiveAxis({ width, now }: { readonly width: number; readonly now: LiveNow | null }) {
  const { t } = useTranslation();
  const spanSeconds = useLiveStore((state) => state.spanSeconds);
  const steps = 6;
  return (
    <div className="live-axis">
      <SampledEvery now={now} />
      <div className="live-axis-ticks" aria-hidden="true" style={{ width }}>
        {Array.from({ length: steps + 1 }, (_, step) => {
          const seconds = Math.round(spanSeconds * (1 - step / steps));
          return <span key={seconds}>{seconds === 0 ? t('live.now') : t('live.ago', { seconds })}</span>;
        })}
      </div>
    </div>
  );
}

/** Samples that come this much slower than asked are said to. */
const SLOWER = 0.85;

function SampledEvery({ now }: { readonly now: LiveNow | null }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (now === null) return <span className="live-every" style={{ width: GUTTER }} />;
  const isSlower = now.realHz > 0 && now.realHz < SLOWER * now.hz;
  const words = { asked: format.number(now.hz), real: format.number(Math.round(now.realHz * 10) / 10) };
  return (
    <span
      className="live-every"
      data-slower={isSlower || undefined}
      style={{ width: GUTTER }}
      title={isSlower ? t('live.rate.slowerWhy', words) : undefined}
    >
      {isSlower
        ? t('live.rate.slower', words)
        : t('live.rate.every', { time: format.duration(SECOND / now.hz) })}
    </span>
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
