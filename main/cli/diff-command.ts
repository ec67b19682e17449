import type { Engine, HolderMoment, HoldersResult, TraceInfo } from '../../app/contract/engine.ts';
import type { ReportWarning } from '../../app/contract/report.ts';
import { type Difference, differenceOf, pairDevices } from '../../app/domain/difference.ts';
import { createEngine, engineError } from '../engine/index.ts';
import { diffJson } from './diff-json.ts';
import { diffText } from './diff-text.ts';
import { warningText } from './error-text.ts';
import { ExitCode } from './exit-code.ts';
import { ProgressLine } from './progress-line.ts';
import type { Terminal } from './terminal.ts';

export interface DiffOptions {
  readonly json?: boolean;
  readonly at: HolderMoment;
  /** Ordinal. */
  readonly device?: number;
}

/** A device of both captures, or of one of them: of the other nothing is held. */
export interface DeviceDifference {
  readonly ordinal: number;
  readonly kind: string;
  readonly allocator: string | null;
  /** Where each was looked at; null when the capture has no such device. */
  readonly before: Pick<HoldersResult, 'event' | 'time'> | null;
  readonly after: Pick<HoldersResult, 'event' | 'time'> | null;
  readonly difference: Difference;
}

export interface CaptureDifference {
  readonly at: HolderMoment;
  readonly before: Side;
  readonly after: Side;
  readonly devices: readonly DeviceDifference[];
}

export interface Side {
  readonly file: string;
  readonly info: TraceInfo;
  readonly damage: readonly ReportWarning[];
}

/** `strata diff BEFORE AFTER`. Errors: those of `open` and `holders`, "no-such-device". */
export async function diffCommand(
  beforeFile: string,
  afterFile: string,
  options: DiffOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode> {
  const engine = createEngine();
  const before = await openSide(engine, beforeFile, terminal, signal);
  const after = await openSide(engine, afterFile, terminal, signal);
  const pairs = pairDevices(before.info.devices, after.info.devices);
  const devices: DeviceDifference[] = [];
  for (const pair of pairs) {
    const key = after.info.devices[pair.after ?? -1] ?? before.info.devices[pair.before ?? -1];
    if (key === undefined || (options.device ?? key.ordinal) !== key.ordinal) continue;
    const old = await holdersOf(engine, before, pair.before, options.at);
    const now = await holdersOf(engine, after, pair.after, options.at);
    const { ordinal, kind, allocator } = key;
    const difference = differenceOf(old ?? NOTHING, now ?? NOTHING);
    devices.push({ ordinal, kind, allocator, before: old, after: now, difference });
  }
  if (devices.length === 0) throw noDevice(options.device, before.info, after.info);
  const whole = { at: options.at, before, after, devices };
  await terminal.write(options.json === true ? diffJson(whole) : diffText(whole));
  const damage = [...before.damage, ...after.damage];
  for (const warning of damage) terminal.writeError(`strata: ${warningText(warning)}\n`);
  return damage.length > 0 ? ExitCode.Damaged : ExitCode.Done;
}

const NOTHING = { frames: [], holders: [] };

/** Names the file in the error, because there are two. */
async function openSide(
  engine: Engine,
  file: string,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Side> {
  const line = new ProgressLine(terminal);
  try {
    const source = { kind: 'path', path: file } as const;
    const info = await engine.call('open', { source }, { signal, onProgress: (step) => line.show(step) });
    const { warnings } = await engine.call('report', { trace: info.trace });
    return { file, info, damage: warnings.filter((warning) => warning.damage) };
  } catch (error) {
    terminal.writeError(`strata: in ${file}:\n`);
    throw error;
  } finally {
    line.clear();
  }
}

async function holdersOf(
  engine: Engine,
  { info }: Side,
  device: number | null,
  at: HolderMoment,
): Promise<HoldersResult | null> {
  return device === null ? null : engine.call('holders', { trace: info.trace, device, at });
}

function noDevice(ordinal: number | undefined, ...infos: readonly TraceInfo[]) {
  const there = [...new Set(infos.flatMap(({ devices }) => devices.map((one) => one.ordinal)))].join(', ');
  return engineError(
    'no-such-device',
    ordinal === undefined
      ? 'Neither capture holds a device with blocks.'
      : `There is no device ${ordinal} in these captures.`,
    there === '' ? 'Name captures of an allocator.' : `They hold: ${there}.`,
  );
}
