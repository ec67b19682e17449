import { OverviewStrip } from '../charts/overview-strip.tsx';
import { Inspector } from '../frame/inspector/inspector.tsx';
import type { ViewName } from '../state/store.ts';
import { MapView } from './map/map.tsx';
import { Overview } from './overview/overview.tsx';
import { Readings } from './readings/readings.tsx';
import { Timeline } from './timeline/timeline.tsx';
import { RunInspector } from './what-if/run-inspector.tsx';
import { WhatIf } from './what-if/what-if.tsx';

/** The view of a trace that is on screen. */
export function View({ view }: { readonly view: ViewName }) {
  switch (view) {
    case 'overview':
      return <Overview />;
    case 'timeline':
      return <Timeline />;
    case 'map':
      return <MapView />;
    case 'readings':
      return <Readings />;
    case 'whatIf':
      return <WhatIf />;
  }
}

/** What stands beside the view: the runs have knobs, the other pictures a cursor. */
export function ViewInspector({ view }: { readonly view: ViewName }) {
  return view === 'whatIf' ? <RunInspector /> : <Inspector />;
}

/** The whole trace, below every view of it. */
export function TraceStrip() {
  return <OverviewStrip />;
}
