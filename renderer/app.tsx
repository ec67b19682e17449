import { useEffect, useState } from 'react';
import type { Engine, Source, TraceSource } from '../app/contract/engine.ts';
import { EngineProvider } from './engine/engine.ts';
import { type Platform, PlatformProvider } from './engine/platform.ts';
import { Frame } from './frame/frame.tsx';
import { followAllocations } from './state/allocations.ts';
import { useFrame } from './state/frame.ts';
import { filesOf, openMany, startingPoint } from './state/openings.ts';
import { rememberPlace, rememberTrace } from './state/recents.ts';
import { useStore } from './state/store.ts';
import './design/tokens.css';
import './design/base.css';
import './design/controls.css';
import './frame/frame.css';
import './frame/dialogs/dialogs.css';
import './frame/inspector/inspector.css';
import './views/difference/difference.css';
import './views/overview/overview.css';
import './views/runs/runs.css';
import './views/settings/settings.css';
import './views/start/start.css';

/** Shows the traces that the engine has open and the page does not know yet, and forgets those it lost. */
async function followEngine(engine: Engine): Promise<void> {
  const open = await engine.call('list', {});
  const { traces, addTrace, closeTrace } = useStore.getState();
  for (const { info } of traces) {
    if (!open.some((one) => one.trace === info.trace)) closeTrace(info.trace);
  }
  for (const info of open) {
    if (!traces.some((one) => one.info.trace === info.trace)) addTrace(info, startingPoint(info));
  }
}

/** Every trace that opens comes to the head of the recent ones. */
function followTraces(engine: Engine): () => void {
  return useStore.subscribe((state, before) => {
    if (state.traces === before.traces) return;
    for (const { info, device } of state.traces) {
      if (before.traces.some((one) => one.info.trace === info.trace)) continue;
      rememberTrace(engine, info, device).catch(() => {
        // The trace was closed before it was looked at.
      });
    }
  });
}

/** Whether a source outlives the engine that opened it. */
function isKept(source: TraceSource): source is Source {
  if (source.kind === 'simulation') return false;
  return filesOf(source).every((file) => file.kind !== 'upload');
}

function loseTraces(): void {
  const { traces, closeAll } = useStore.getState();
  const lost = traces.flatMap(({ info: { source, name } }) => (isKept(source) ? [{ source, name }] : []));
  closeAll();
  useFrame.getState().setLost(lost);
}

function rememberPlaces(): void {
  for (const trace of useStore.getState().traces) rememberPlace(trace);
}

/** The page, on any platform. */
export function App({ platform }: { readonly platform: Platform }) {
  // A new object after each reconnection, so that every query asks again.
  const [engine, setEngine] = useState<Engine>(platform.engine);

  useEffect(() => {
    const stop = followTraces(platform.engine);
    const stopGrowth = followAllocations(platform.engine, () => setEngine({ call: platform.engine.call }));
    let hasConnected = false;
    platform.start({
      onEngineRestarted: loseTraces,
      onConnection: (isConnected) => {
        useFrame.getState().setDisconnected(!isConnected);
        if (isConnected && hasConnected) {
          setEngine({ call: platform.engine.call });
          void followEngine(platform.engine);
        }
        hasConnected ||= isConnected;
      },
      onOpenRequest: (files) => {
        void openMany(platform.engine, files);
      },
    });
    followEngine(platform.engine).catch(() => {
      // Without a connection there is nothing to follow; the banner says so.
    });
    addEventListener('pagehide', rememberPlaces);
    return () => {
      stop();
      stopGrowth();
      removeEventListener('pagehide', rememberPlaces);
    };
  }, [platform]);

  return (
    <PlatformProvider value={platform}>
      <EngineProvider value={engine}>
        <Frame />
      </EngineProvider>
    </PlatformProvider>
  );
}
