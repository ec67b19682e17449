import type { Engine } from '../../app/contract/engine.ts';
import { rememberPlace } from './recents.ts';
import { useStore } from './store.ts';

/** Closes a trace here and in the engine; Start opens it again where it was left. */
export function closeTrace(engine: Engine, trace: string): void {
  const state = useStore.getState().traces.find((one) => one.info.trace === trace);
  if (state !== undefined) rememberPlace(state);
  useStore.getState().closeTrace(trace);
  engine.call('close', { trace }).catch(() => {
    // The engine is away, and the trace with it.
  });
}
