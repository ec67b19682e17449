import type { RegionName } from '../../../app/contract/engine.ts';
import { AnnotationsLane } from './annotations-lane.tsx';
import { BoundsLane } from './bounds-lane.tsx';
import { FreeLane } from './free-lane.tsx';
import type { Lane } from './lane-layout.ts';
import { LiveLane } from './live-lane.tsx';
import { MarkersLane } from './markers-lane.tsx';
import type { PlotView, TouchBook } from './plot-view.ts';
import { RegionLane } from './region-lane.tsx';
import { UnusedLane } from './unused-lane.tsx';
import type { Damage, TimelineData } from './use-timeline.ts';

interface Props {
  readonly lanes: readonly Lane[];
  readonly view: PlotView;
  readonly touches: TouchBook;
  readonly data: TimelineData;
  readonly damage: Damage | null;
  readonly busiest: RegionName;
  readonly end: { readonly left: number; readonly width: number } | null;
  /** The lane that the keyboard is in. */
  readonly activeLane: string | null;
  readonly selectedSite: number | null;
}

export function LaneList(props: Props) {
  return props.lanes.map((lane) => (
    <div key={lane.id} className="lane-place" data-active={lane.id === props.activeLane || undefined}>
      <OneLane {...props} lane={lane} />
      <div className="lane-rule" style={{ top: lane.top + lane.height - 1 }} />
    </div>
  ));
}

function OneLane({ lane, view, touches, data, damage, busiest, end, selectedSite }: Props & { lane: Lane }) {
  const shared = { lane, view, touches };
  const { spec } = lane;
  switch (spec.kind) {
    case 'markers':
      return <MarkersLane {...shared} markers={data.marks.markers} />;
    case 'annotations':
      return <AnnotationsLane {...shared} annotations={data.marks.annotations} rows={spec.rows} />;
    case 'region':
      return <RegionLane {...shared} data={data.series.newest} region={spec.region} isMain={spec.isMain} />;
    case 'free':
      return <FreeLane {...shared} data={data.series.newest} region={spec.region} />;
    case 'bounds':
      return (
        <BoundsLane
          {...shared}
          data={data.series.newest}
          counter={spec.counter}
          extra={damage?.extra?.[spec.counter] ?? 0}
          final={damage?.end?.[spec.counter] ?? null}
          end={end}
          busiest={busiest}
        />
      );
    case 'unused':
      return (
        <UnusedLane
          lane={lane}
          region={spec.region}
          words={view.words}
          used={view.used}
          layout={view.layout}
          settings={data.settings}
        />
      );
    case 'live':
      return <LiveLane {...shared} data={data.live.newest} selectedSite={selectedSite} />;
  }
}
