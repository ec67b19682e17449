import { useMemo } from 'react';
import type { TraceInfo } from '../../../app/contract/engine.ts';
import { usePixelRatio } from '../../charts/canvas.tsx';
import { useWindowQuery } from '../../charts/window-query.ts';
import { useChooseDevice, useDeviceName } from '../../frame/device-menu.tsx';
import { useActiveTrace } from '../../state/active-trace.ts';
import type { LaneProps } from './plot-view.ts';
import { RegionLane } from './region-lane.tsx';

interface Props extends LaneProps {
  /** Position in `info.devices`. */
  readonly device: number;
}

/**
 * Another device of the set: what it reserved and held in all regions, on the same time axis. The scale is that of the
 * highest peak of all devices, so that their lanes compare.
 */
export function DeviceLane({ lane, view, touches, device }: Props) {
  const { info, axis } = useActiveTrace();
  const { words, width } = view;
  const pixelRatio = usePixelRatio();
  const one = info.devices[device] as TraceInfo['devices'][number];
  const name = useDeviceName(info)(one);
  const choose = useChooseDevice();
  const series = useWindowQuery(
    'series',
    width > 0 && axis === 'time' && !lane.isFolded ? { width, pixelRatio } : null,
    (window) => ({ trace: info.trace, device, window }),
  );
  const own = useMemo(
    () => ({
      ...view,
      used: one.regions,
      layout: one.layout,
      areRequestsKnown: one.areRequestsKnown,
      isBounded: !one.isComplete,
    }),
    [view, one],
  );
  return (
    <RegionLane
      lane={lane}
      view={own}
      touches={touches}
      data={series.newest}
      region="total"
      isMain={false}
      title={name}
      reach={Math.max(...info.devices.map(({ peakReserved }) => peakReserved))}
      legend={
        <button type="button" className="lane-show" onClick={() => choose(device)}>
          {words.t('set.show')}
        </button>
      }
    />
  );
}
