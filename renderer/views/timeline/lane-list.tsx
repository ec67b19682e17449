import type { RegionName } from '../../../app/contract/engine.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import { AnnotationsLane } from './annotations-lane.tsx';
import { BoundsLane } from './bounds-lane.tsx';
import { DeviceLane } from './device-lane.tsx';
import { DifferenceLane, DriverLane } from './driver-lanes.tsx';
import { FreeLane } from './free-lane.tsx';
import type { Lane } from './lane-layout.ts';
import { LaneVeil } from './lane-veil.tsx';
import { LiveLane } from './live-lane.tsx';
import { MarkersLane } from './markers-lane.tsx';
import type { PlotView, TouchBook } from './plot-view.ts';
import { RegionLane } from './region-lane.tsx';
import { UntimedLane } from './untimed-lane.tsx';
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
      <Veil lane={lane} view={props.view} />
      <div className="lane-rule" style={{ top: lane.top + lane.height - 1 }} />
    </div>
  ));
}

/** Over the lanes of a device of a set, where its file recorded nothing. */
function Veil({ lane, view }: { readonly lane: Lane; readonly view: PlotView }) {
  const { info, device, axis } = useActiveTrace();
  const { spec } = lane;
  const isOfDevice = spec.kind === 'region' || spec.kind === 'free' || spec.kind === 'live';
  const of = spec.kind === 'device' ? spec.device : isOfDevice ? device : -1;
  const span = info.devices[of]?.span ?? null;
  if (info.parts.length === 0 || axis !== 'time' || lane.isFolded || span === null) return null;
  return <LaneVeil lane={lane} view={view} span={span} />;
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
    case 'driver':
      return <DriverLane {...shared} driver={data.driver} />;
    case 'difference':
      return <DifferenceLane {...shared} driver={data.driver} />;
    case 'device':
      return <DeviceLane {...shared} device={spec.device} />;
    case 'untimed':
      return <UntimedLane lane={lane} view={view} reason={spec.reason} device={spec.device} />;
    case 'live':
      return <LiveLane {...shared} data={data.live.newest} selectedSite={selectedSite} />;
  }
}
