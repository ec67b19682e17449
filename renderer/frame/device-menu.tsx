import { Menu } from '@base-ui/react/menu';
import { useTranslation } from 'react-i18next';
import type { DeviceInfo } from '../../app/contract/engine.ts';
import { Icon } from '../design/icons.tsx';
import { useFormat } from '../i18n/use-format.ts';
import { useActiveTrace, useUpdateTrace } from '../state/active-trace.ts';
import { startingPoint } from '../state/openings.ts';
import { fullRange } from '../state/store.ts';

/** "GPU 0", "NPU 1", "host memory"; behind it what the capture calls it, where several share that name. */
export function useDeviceName(all: readonly DeviceInfo[]): (device: DeviceInfo) => string {
  const { t } = useTranslation();
  return ({ kind, ordinal, allocator }) => {
    const name =
      kind === 'host'
        ? t('device.host')
        : kind === 'cuda'
          ? t('device.gpu', { ordinal })
          : t('device.other', { kind: kind.toUpperCase(), ordinal });
    const isShared = all.filter((one) => one.kind === kind && one.ordinal === ordinal).length > 1;
    return isShared && allocator !== null ? t('device.named', { device: name, allocator }) : name;
  };
}

/** Chooses one of several devices; absent for a trace of one. */
export function DeviceMenu() {
  const { t } = useTranslation();
  const format = useFormat();
  const { info, device, axis } = useActiveTrace();
  const deviceName = useDeviceName(info.devices);
  const update = useUpdateTrace();
  const active = info.devices[device];
  if (info.devices.length < 2 || active === undefined) return null;

  const choose = (position: number) => {
    const only = {
      ...info,
      devices: info.devices.map((one, at) => (at === position ? one : { ...one, peakReserved: -1 })),
    };
    const { cursor, mapRegion } = startingPoint(only);
    update({ device: position, cursor, mapRegion, selection: null, range: fullRange(info, position, axis) });
  };

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
                  key={`${one.kind} ${one.ordinal} ${one.allocator}`}
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
