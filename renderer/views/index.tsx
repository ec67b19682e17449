import { OverviewStrip } from '../charts/overview-strip.tsx';
import type { ViewName } from '../state/store.ts';
import { MapView } from './map/map.tsx';
import { Overview } from './overview/overview.tsx';
import { Timeline } from './timeline/timeline.tsx';

/** The view of a trace that is on screen. */
export function View({ view }: { readonly view: ViewName }) {
  switch (view) {
    case 'overview':
      return <Overview />;
    case 'timeline':
      return <Timeline />;
    case 'map':
      return <MapView />;
  }
}

/** The whole trace, below every view of it. */
export function TraceStrip() {
  return <OverviewStrip />;
}
