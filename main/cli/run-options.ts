import { InvalidArgumentError } from 'commander';
import type { KnobInfo, RunRequest, SimulatorInfo } from '../../app/contract/simulation.ts';
import { parseSize } from '../../app/domain/size.ts';
import { engineError } from '../engine/index.ts';

/** Options that `simulate` and `sweep` share. */
export interface RunOptions {
  readonly json?: boolean;
  /** Ordinal. */
  readonly device?: number;
  /** Bytes; without it, as the recording shows it. */
  readonly capacity?: number;
}

/** Bytes of `--capacity`; "unlimited" is the largest size there is. */
export function capacityOption(text: string): number {
  if (text === 'unlimited') return Number.MAX_SAFE_INTEGER;
  const bytes = parseSize(text);
  if (bytes !== null) return bytes;
  throw new InvalidArgumentError('It must be a size, such as 24GiB, 80GB or 25769803776, or "unlimited".');
}

/** Collects `--set KEY=VALUE`. */
export function settingOption(
  text: string,
  before: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be KEY=VALUE.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/** Errors: "unknown-allocator", "unknown-setting", each with what there is. */
export function checkedRun(
  simulators: readonly SimulatorInfo[],
  allocator: string,
  settings: Readonly<Record<string, string>>,
): RunRequest {
  const simulator = simulators.find((one) => one.name === allocator);
  if (simulator === undefined) {
    throw engineError(
      'unknown-allocator',
      `There is no allocator "${allocator}".`,
      `There are: ${simulators.map((one) => one.name).join(', ')}. "strata simulators" lists their settings.`,
    );
  }
  for (const key of Object.keys(settings)) {
    if (simulator.knobs.every((knob) => knob.name !== key)) throw unknownSetting(simulator, key);
  }
  return { allocator, settings: { ...settings } };
}

function unknownSetting({ name, knobs }: SimulatorInfo, key: string) {
  return engineError(
    'unknown-setting',
    `The allocator ${name} has no setting "${key}".`,
    knobs.length === 0
      ? 'It has no settings at all.'
      : `It has: ${knobs.map((knob) => knob.name).join(', ')}.`,
  );
}

/** "a size, 1 to 8", "true or false": what may be written. */
export function knobValues({ kind, choices, least, most }: KnobInfo): string {
  const range = least === null || most === null ? '' : `, ${least} to ${most}`;
  switch (kind) {
    case 'bytes':
      return 'a size, such as 512 or 20MiB';
    case 'count':
      return `a whole number${range}`;
    case 'fraction':
      return 'a fraction, 0 to 1';
    case 'flag':
      return 'true or false';
    case 'choice':
      return choices.join(' or ');
    case 'text':
      return 'text';
  }
}
