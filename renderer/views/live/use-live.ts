import { useEffect, useRef, useState } from 'react';
import { EngineError } from '../../../app/contract/error.ts';
import type { LiveEvent, LiveInfo, LiveNow, LiveResults } from '../../../app/contract/live.ts';
import { useEngine } from '../../engine/engine.ts';
import { gpuLimits } from './limits.ts';
import { useLiveStore } from './live-store.ts';

/** Between two questions; what is shown is never older. */
const PAUSE_MS = 250;
const MOST_EVENTS = 200;
const SECOND = 1e9;

export interface LiveWindow {
  readonly from: number;
  readonly to: number;
}

export interface LiveData {
  readonly info: LiveInfo | null;
  readonly now: LiveNow | null;
  readonly series: LiveResults['liveSeries'] | null;
  readonly window: LiveWindow;
  readonly events: readonly LiveEvent[];
  readonly error: EngineError | null;
  /** Looks for GPUs anew. */
  again(): void;
  /** Asks at once, after the user did something. */
  refresh(): void;
}

const NOTHING = {
  info: null,
  now: null,
  series: null,
  window: { from: 0, to: 1 },
  events: [],
  error: null,
} as const;
type Known = Omit<LiveData, 'again' | 'refresh'>;

/** Asks the sampler again and again while the page can be seen; when it cannot, the sampler comes to rest. */
export function useLive(columns: number): LiveData {
  const engine = useEngine();
  const scenario = useLiveStore((state) => state.scenario);
  const [round, setRound] = useState(0);
  const [known, setKnown] = useState<Known>(NOTHING);
  const wanted = useRef(columns);
  wanted.current = columns;
  const refresh = useRef(() => {});

  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let info: LiveInfo | null = null;
    let events: readonly LiveEvent[] = [];
    const step = async () => {
      if (info === null || !info.isComplete) {
        info = await engine.call('liveStart', { scenario, again: round > 0 && info === null });
        const { hz } = useLiveStore.getState();
        await engine.call('liveRate', { hz });
        if (info.isComplete) await tellWhatToWatch();
      }
      if (info.gpus.length === 0) return { ...NOTHING, info };
      const now = await engine.call('live', { afterEvent: events.at(-1)?.number ?? 0 });
      events = [...events, ...now.events].slice(-MOST_EVENTS);
      const { gpu, spanSeconds, heldAt } = useLiveStore.getState();
      const to = heldAt ?? now.now;
      const window = { from: to - spanSeconds * SECOND, to };
      const shown = Math.min(gpu, info.gpus.length - 1);
      const series =
        wanted.current > 0
          ? await engine.call('liveSeries', { gpu: shown, ...window, columns: wanted.current })
          : null;
      return { info, now, series, window, events, error: null };
    };
    const ask = async () => {
      clearTimeout(timer);
      try {
        if (!document.hidden) {
          const next = await step();
          if (!isOver) setKnown(next);
        }
      } catch (error) {
        if (!isOver && error instanceof EngineError) setKnown((before) => ({ ...before, error }));
      }
      if (!isOver) timer = setTimeout(ask, PAUSE_MS);
    };
    const tellWhatToWatch = () => {
      const { growthMib, limits } = useLiveStore.getState();
      const growthBytes = growthMib * 1024 ** 2;
      return engine.call('liveWatch', { growthBytes, limits: gpuLimits(limits) }).catch(() => null);
    };
    const stopFollowing = useLiveStore.subscribe((state, before) => {
      if (state.limits !== before.limits || state.growthMib !== before.growthMib) void tellWhatToWatch();
    });
    setKnown(NOTHING);
    refresh.current = () => void ask();
    void ask();
    return () => {
      isOver = true;
      stopFollowing();
      clearTimeout(timer);
    };
  }, [engine, scenario, round]);

  return { ...known, again: () => setRound((before) => before + 1), refresh: () => refresh.current() };
}
