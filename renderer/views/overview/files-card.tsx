import { useTranslation } from 'react-i18next';
import type { DeviceInfo, PartInfo } from '../../../app/contract/engine.ts';
import { timeUnitOf } from '../../../app/domain/format.ts';
import { useChooseDevice, useDeviceName } from '../../frame/device-menu.tsx';
import { useErrorWords } from '../../i18n/use-error-words.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import { Card } from './card.tsx';

/** The files of a set with their devices, where each lies on the time axis, and those that could not be opened. */
export function FilesCard() {
  const { t } = useTranslation();
  const { parts, devices, refused } = useActiveTrace().info;
  const words = useErrorWords();
  if (parts.length === 0) return null;
  return (
    <Card span={12} title={t('set.title')}>
      <p className="quiet">{t('set.what')}</p>
      <div className="files-place">
        <table className="table files-table">
          <thead>
            <tr>
              <th>{t('set.file')}</th>
              <th>{t('set.device')}</th>
              <th className="number">{t('set.events')}</th>
              <th className="number">{t('set.peak')}</th>
              <th>{t('set.clock')}</th>
            </tr>
          </thead>
          <tbody>
            {parts.flatMap((part, at) => {
              const own = devices.flatMap((device, position) =>
                device.part === at ? [{ device, position }] : [],
              );
              if (own.length === 0) return [<PartRow key={part.name} part={part} />];
              return own.map(({ device, position }) => (
                <DeviceRow key={position} part={part} device={device} position={position} />
              ));
            })}
            {refused.map(({ name, error }) => (
              <tr key={name} className="files-refused">
                <td className="ellipsis">{name}</td>
                <td>{t('set.notOpened')}</td>
                <td colSpan={3}>{words(error).message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

interface DeviceRowProps {
  readonly part: PartInfo;
  readonly device: DeviceInfo;
  readonly position: number;
}

function DeviceRow({ part, device, position }: DeviceRowProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { info, device: active } = useActiveTrace();
  const deviceName = useDeviceName(info);
  const choose = useChooseDevice();
  const name = deviceName(device);
  return (
    <tr data-active={position === active || undefined}>
      <td className="ellipsis" title={part.path ?? part.name}>
        {part.name}
      </td>
      <td>
        <button
          type="button"
          className="files-device"
          aria-pressed={position === active}
          aria-label={t('set.show', { device: name })}
          onClick={() => choose(position)}
        >
          {name}
        </button>
      </td>
      <td className="number">{format.count(device.events)}</td>
      <td className="number">{format.bytes(device.peakReserved)}</td>
      <td>{useClockWords()(part)}</td>
    </tr>
  );
}

/** A file without devices: a recording of GPUs. */
function PartRow({ part }: { readonly part: PartInfo }) {
  const { t } = useTranslation();
  return (
    <tr>
      <td className="ellipsis" title={part.path ?? part.name}>
        {part.name}
      </td>
      <td>{part.format === 'gpu-recording' ? t('set.recording') : part.format}</td>
      <td />
      <td />
      <td>{useClockWords()(part)}</td>
    </tr>
  );
}

function useClockWords(): (part: PartInfo) => string {
  const { t } = useTranslation();
  const format = useFormat();
  const { durationNs } = useActiveTrace().info;
  return ({ clock, start }) =>
    clock === 'wall' ? t('set.wall', { at: format.time(start, timeUnitOf(durationNs)) }) : t(`set.${clock}`);
}
