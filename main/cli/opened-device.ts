import type { DeviceInfo, Engine, TraceInfo } from '../../app/contract/engine.ts';
import type { ReportWarning } from '../../app/contract/report.ts';
import { engineError } from '../engine/index.ts';
import { warningText } from './error-text.ts';
import { ExitCode } from './exit-code.ts';
import { ProgressLine } from './progress-line.ts';
import type { Terminal } from './terminal.ts';

/** A capture that was opened to simulate the requests of one of its devices. */
export interface OpenedDevice {
  readonly info: TraceInfo;
  readonly device: DeviceInfo;
  /** In `info.devices`. */
  readonly position: number;
  /** What could not be read. */
  readonly damage: readonly ReportWarning[];
}

/** Without an ordinal, the device with the highest peak. Errors: those of `open`, "no-such-device". */
export async function openDevice(
  engine: Engine,
  path: string,
  ordinal: number | undefined,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<OpenedDevice> {
  const line = new ProgressLine(terminal);
  try {
    const source = { kind: 'path', path } as const;
    const info = await engine.call('open', { source }, { signal, onProgress: (step) => line.show(step) });
    const { warnings } = await engine.call('report', { trace: info.trace });
    const { device, position } = choose(info, ordinal);
    return { info, device, position, damage: warnings.filter((warning) => warning.damage) };
  } finally {
    line.clear();
  }
}

function choose(info: TraceInfo, ordinal: number | undefined): { device: DeviceInfo; position: number } {
  const { devices } = info;
  const highest = devices.reduce(
    (best, one, position) => (one.peakReserved > (devices[best]?.peakReserved ?? -1) ? position : best),
    0,
  );
  const position =
    ordinal === undefined ? highest : devices.findIndex((device) => device.ordinal === ordinal);
  const device = devices[position];
  if (device !== undefined) return { device, position };
  const there = devices.map((one) => one.ordinal).join(', ');
  throw engineError(
    'no-such-device',
    ordinal === undefined
      ? 'This capture holds no device.'
      : `There is no device ${ordinal} in this capture.`,
    there === '' ? 'It holds no device at all.' : `It holds: ${there}.`,
  );
}

/** Says on standard error what could not be read, and what the shell gets to see. */
export function endOf({ damage }: OpenedDevice, terminal: Terminal): ExitCode {
  for (const warning of damage) terminal.writeError(`strata: ${warningText(warning)}\n`);
  return damage.length > 0 ? ExitCode.Damaged : ExitCode.Done;
}
