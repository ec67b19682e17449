import { Menu } from '@base-ui/react/menu';
import { useTranslation } from 'react-i18next';
import type { DeviceInfo } from '../../app/contract/engine.ts';
import { Icon } from '../design/icons.tsx';
import { useFormat } from '../i18n/use-format.ts';
import { useActiveTrace, useUpdateTrace } from '../state/active-trace.ts';
import { startingPoint } from '../state/openings.ts';
import { fullRange } from '../state/store.ts';

/** "GPU 0", "NPU 1", "host memory": what the capture calls the device. */
export function useDeviceName(): (device: DeviceInfo) => string {
  const { t } = useTranslation();
  return ({ kind, ordinal }) => {
    if (kind === 'host') return t('device.host');
    if (kind === 'cuda') return t('device.gpu', { ordinal });
    return t('device.other', { kind: kind.toUpperCase(), ordinal });
  };
}

/** Chooses one of several devices; absent for a trace of one. */
export function DeviceMenu() {
  const { t } = useTranslation();
  const format = useFormat();
  const deviceName = useDeviceName();
  const { info, device, axis } = useActiveTrace();
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
                  key={`${one.kind} ${one.ordinal}`}
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
