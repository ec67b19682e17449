import { useDeviceName } from '../../frame/device-menu.tsx';
import { useActiveTrace } from '../../state/active-trace.ts';
import { LaneFrame } from './lane-frame.tsx';
import type { Lane, UntimedReason } from './lane-layout.ts';
import type { PlotView } from './plot-view.ts';

interface Props {
  readonly lane: Lane;
  readonly view: PlotView;
  readonly reason: UntimedReason;
  /** Of a device's lane: its position in `info.devices`. */
  readonly device: number | null;
}

/** A lane that has no place on the axis stays as one line that says why. */
export function UntimedLane({ lane, view, reason, device }: Props) {
  const { info } = useActiveTrace();
  const deviceName = useDeviceName(info);
  const one = info.devices[device ?? -1];
  const { words } = view;
  return (
    <LaneFrame
      lane={lane}
      name={one === undefined ? words.t('driver.name') : deviceName(one)}
      isQuiet
      canFold={false}
    >
      <p className="lane-note">{words.t(`set.${reason}`)}</p>
    </LaneFrame>
  );
}
