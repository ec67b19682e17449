import { create } from 'zustand';
import type { AllocationsNow } from '../../app/contract/allocations.ts';
import type { Engine, TraceInfo } from '../../app/contract/engine.ts';
import type { EngineError } from '../../app/contract/error.ts';
import { placeAfterGrowth } from './growth.ts';
import { asEngineError } from './openings.ts';
import { renewRecent } from './recents.ts';
import { useStore } from './store.ts';

/** Programs that stream their allocations, as the engine told last. */
export interface AllocationsState {
  readonly now: AllocationsNow | null;
  readonly error: EngineError | null;
  /** The user ended it: opening the page again does not start it. */
  readonly isStopped: boolean;
  /** How many parts of the page look at it. */
  readonly lookers: number;
}

export const useAllocations = create<AllocationsState>()(() => ({
  now: null,
  error: null,
  isStopped: false,
  lookers: 0,
}));

/** Often enough for a picture that moves; the engine makes traces at its own pace. */
const PAUSE_MS = 250;

/**
 * Asks how things stand while somebody looks or a trace still grows, and takes what has grown over into the page.
 * `onGrown` is called when the trace on screen is another one now, so that everything is asked again.
 */
export function followAllocations(engine: Engine, onGrown: () => void): () => void {
  let isOver = false;
  const look = async () => {
    const { lookers, now } = useAllocations.getState();
    const grows = useStore.getState().traces.some(({ info }) => info.growth?.isOver === false);
    if (!grows && (lookers === 0 || now === null)) return;
    try {
      accept(engine, await engine.call('allocations', {}), onGrown);
    } catch (error) {
      useAllocations.setState({ error: asEngineError(error) });
    }
  };
  const run = async () => {
    while (!isOver) {
      await look();
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  void run();
  return () => {
    isOver = true;
  };
}

function accept(engine: Engine, now: AllocationsNow, onGrown: () => void): void {
  useAllocations.setState({ now, error: null });
  let isOnScreen = false;
  for (const { trace } of now.sessions) {
    if (trace !== null && grow(engine, trace)) isOnScreen = true;
  }
  if (isOnScreen) onGrown();
}

/** Answers whether the trace on screen has changed. */
function grow(engine: Engine, info: TraceInfo): boolean {
  const { traces, active, tool, isSettingsOpen, growTrace } = useStore.getState();
  const before = traces.find((one) => one.info.trace === info.trace);
  if (before === undefined || before.info.growth?.revision === info.growth?.revision) return false;
  growTrace(info, placeAfterGrowth(before, info));
  if (info.growth?.isOver === true) void renewRecent(engine, before.info.source, info);
  return active === info.trace && tool === null && !isSettingsOpen;
}

/** Calls something of live allocations, with the name of a session or a recording, and shows what it comes to. */
export async function callAllocations(
  engine: Engine,
  method:
    | 'allocationsListen'
    | 'allocationsStop'
    | 'allocationsSave'
    | 'allocationsDiscard'
    | 'allocationsRestore',
  name = '',
): Promise<void> {
  try {
    const now =
      method === 'allocationsListen'
        ? await engine.call(method, {})
        : method === 'allocationsDiscard' || method === 'allocationsRestore'
          ? await engine.call(method, { name })
          : await engine.call(method, { session: name });
    useAllocations.setState({
      now,
      error: null,
      ...(method === 'allocationsListen' && { isStopped: false }),
    });
  } catch (error) {
    useAllocations.setState({ error: asEngineError(error) });
  }
}

export async function stopListening(engine: Engine): Promise<void> {
  useAllocations.setState({ isStopped: true });
  await engine.call('allocationsClose', {});
  useAllocations.setState({ now: await engine.call('allocations', {}), error: null });
}

/** Shows a session as a trace, at its end, where it grows. */
export async function watchSession(engine: Engine, session: string): Promise<void> {
  const { traces, activate, addTrace, update } = useStore.getState();
  try {
    const info = await engine.call('allocationsWatch', { session });
    if (traces.some((one) => one.info.trace === info.trace)) return activate(info.trace);
    const device = 0;
    const regions = info.devices[device]?.regions ?? [];
    addTrace(info, {
      device,
      cursor: (info.devices[device]?.events ?? 0) - 1,
      mapRegion: regions.includes('pooled') ? 'pooled' : (regions.at(-1) ?? 'pooled'),
    });
    update(info.trace, { view: 'timeline' });
  } catch (error) {
    useAllocations.setState({ error: asEngineError(error) });
  }
}
