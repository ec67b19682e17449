import { Menu } from '@base-ui/react/menu';
import { useTranslation } from 'react-i18next';
import type { DeviceInfo, PartInfo, TraceInfo } from '../../app/contract/engine.ts';
import { Icon } from '../design/icons.tsx';
import { useFormat } from '../i18n/use-format.ts';
import { useActiveTrace, useUpdateTrace } from '../state/active-trace.ts';
import { startingPoint } from '../state/openings.ts';
import { fullRange, usualAxis } from '../state/store.ts';

/** "rank 3", or the name of the file where its rank is not known or another file is of the same rank. */
export function usePartName(parts: readonly PartInfo[]): (part: PartInfo) => string {
  const { t } = useTranslation();
  return ({ rank, name }) => {
    const isOwn = rank !== null && parts.filter((one) => one.rank === rank).length === 1;
    return isOwn ? t('set.rank', { rank }) : name;
  };
}

/**
 * "GPU 0", "NPU 1", "host memory", or as the capture calls a device of unknown kind; behind it what the capture calls it, where several share that name. In a set, which
 * rank or file it is of comes first.
 */
export function useDeviceName({
  devices: all,
  parts,
}: Pick<TraceInfo, 'devices' | 'parts'>): (device: DeviceInfo) => string {
  const { t } = useTranslation();
  const partName = usePartName(parts);
  return ({ kind, ordinal, allocator, part: position }) => {
    const name =
      kind === 'host'
        ? t('device.host')
        : kind === 'cuda'
          ? t('device.gpu', { ordinal })
          : kind === 'unknown' && allocator !== null
            ? allocator
            : t('device.other', { kind: kind.toUpperCase(), ordinal });
    const isSame = (one: DeviceInfo) => one.kind === kind && one.ordinal === ordinal && one.part === position;
    const isShared = name !== allocator && all.filter(isSame).length > 1;
    const own = isShared && allocator !== null ? t('device.named', { device: name, allocator }) : name;
    const part = parts[position ?? -1];
    return part === undefined ? own : t('set.of', { file: partName(part), device: own });
  };
}

/** Shows another device, at its peak; on a shared time axis the visible window stays. */
export function useChooseDevice(): (position: number) => void {
  const { info, axis, range } = useActiveTrace();
  const update = useUpdateTrace();
  return (position) => {
    const only = {
      ...info,
      devices: info.devices.map((one, at) => (at === position ? one : { ...one, peakReserved: -1 })),
    };
    const { cursor, mapRegion } = startingPoint(only);
    const next = axis === 'time' ? usualAxis(info, position) : axis;
    const isShared = info.parts.length > 0 && axis === 'time' && next === 'time';
    update({
      device: position,
      axis: next,
      cursor,
      mapRegion,
      selection: null,
      range: isShared ? range : fullRange(info, position, next),
    });
  };
}

/** Chooses one of several devices; absent for a trace of one. */
export function DeviceMenu() {
  const { t } = useTranslation();
  const format = useFormat();
  const { info, device } = useActiveTrace();
  const deviceName = useDeviceName(info);
  const choose = useChooseDevice();
  const active = info.devices[device];
  if (info.devices.length < 2 || active === undefined) return null;

  return (
    <Menu.Root>
      <Menu.Trigger className="button" aria-label={t('device.choose', { device: deviceName(active) })}>
        {deviceName(active)}
        <Icon name="down" isSmall />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end" className="menu-place">
          <Menu.Popup className="menu float">
            <Menu.RadioGroup value={device} onValueChange={choose}>
              {info.devices.map((one, position) => (
                <Menu.RadioItem
                  key={`${one.part} ${one.kind} ${one.ordinal} ${one.allocator}`}
                  value={position}
                  className="menu-entry"
                  closeOnClick
                >
                  <Menu.RadioItemIndicator className="menu-check" keepMounted>
                    {position === device ? <Icon name="good" isSmall /> : null}
                  </Menu.RadioItemIndicator>
                  <span>{deviceName(one)}</span>
                  <span className="faint">{t('device.peak', { bytes: format.bytes(one.peakReserved) })}</span>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
