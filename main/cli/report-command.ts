import type { Engine } from '../../app/contract/engine.ts';
import type { Report } from '../../app/contract/report.ts';
import { createEngine, engineError } from '../engine/index.ts';
import { warningText } from './error-text.ts';
import { ExitCode } from './exit-code.ts';
import { ProgressLine } from './progress-line.ts';
import { reportJson } from './report-json.ts';
import { reportText } from './report-text.ts';
import type { Terminal } from './terminal.ts';

export interface ReportOptions {
  readonly json?: boolean;
  /** Ordinal. */
  readonly device?: number;
}

/** `strata report FILE`: prints the facts of a capture. Errors: those of `open`, "no-such-device". */
export async function reportCommand(
  file: string,
  options: ReportOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode> {
  const whole = await readReport(createEngine(), file, terminal, signal);
  const report = options.device === undefined ? whole : onlyDevice(whole, options.device);
  await terminal.write(options.json === true ? reportJson(report) : reportText(report));
  const damage = report.warnings.filter((warning) => warning.damage);
  for (const warning of damage) terminal.writeError(`strata: ${warningText(warning)}\n`);
  return damage.length > 0 ? ExitCode.Damaged : ExitCode.Done;
}

async function readReport(
  engine: Engine,
  path: string,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Report> {
  const line = new ProgressLine(terminal);
  try {
    const source = { kind: 'path', path } as const;
    const { trace } = await engine.call(
      'open',
      { source },
      { signal, onProgress: (step) => line.show(step) },
    );
    return await engine.call('report', { trace });
  } finally {
    line.clear();
  }
}

function onlyDevice(report: Report, ordinal: number): Report {
  const devices = report.devices.filter((device) => device.ordinal === ordinal);
  if (devices.length > 0) return { ...report, devices };
  const there = report.devices.map((device) => device.ordinal).join(', ');
  throw engineError(
    'no-such-device',
    `There is no device ${ordinal} in this capture.`,
    there === '' ? 'It holds no device at all.' : `It holds: ${there}.`,
  );
}
