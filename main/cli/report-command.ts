import type { Engine, Source } from '../../app/contract/engine.ts';
import type { Report } from '../../app/contract/report.ts';
import { createEngine, engineError, toEngineError } from '../engine/index.ts';
import { chosenSource, type RunChoice, requireChosen, together } from './chosen-run.ts';
import { errorText, warningText } from './error-text.ts';
import { ExitCode } from './exit-code.ts';
import { ProgressLine } from './progress-line.ts';
import { reportJson } from './report-json.ts';
import { reportText } from './report-text.ts';
import type { Terminal } from './terminal.ts';

export interface ReportOptions extends RunChoice {
  readonly json?: boolean;
  /** Ordinal. */
  readonly device?: number;
  /** All files as one trace. */
  readonly together?: boolean;
}

/**
 * `strata report FILE…`: prints the facts of each capture, or with --together those of the set. A file that is refused
 * keeps none of the others from being reported. Errors: those of `open` and `chosenSource`, "no-such-device".
 */
export async function reportCommand(
  files: readonly string[],
  options: ReportOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode> {
  const engine = createEngine();
  const sourceOf = async (file: string) =>
    requireChosen(await chosenSource(engine, file, options), file, terminal);
  if (options.together === true) {
    const sources: Source[] = [];
    for (const file of files) sources.push(await sourceOf(file));
    return reportOne(engine, together(sources), options, terminal, signal);
  }
  const [only] = files;
  if (files.length === 1 && only !== undefined) {
    return reportOne(engine, await sourceOf(only), options, terminal, signal);
  }
  let worst: ExitCode = ExitCode.Done;
  for (const [at, file] of files.entries()) {
    if (at > 0 && options.json !== true) await terminal.write('\n');
    const code = await sourceOf(file)
      .then((source) => reportOne(createEngine(), source, options, terminal, signal))
      .catch((caught) => {
        const error = toEngineError(caught);
        if (error.code === 'cancelled') throw error;
        terminal.writeError(errorText(error, file));
        return ExitCode.Refused;
      });
    if (code === ExitCode.Refused || worst === ExitCode.Done) worst = code;
  }
  return worst;
}

async function reportOne(
  engine: Engine,
  source: Source,
  options: ReportOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode> {
  const whole = await readReport(engine, source, terminal, signal);
  const report = options.device === undefined ? whole : onlyDevice(whole, options.device);
  await terminal.write(options.json === true ? reportJson(report) : reportText(report));
  const damage = report.warnings.filter((warning) => warning.damage);
  for (const warning of damage) terminal.writeError(`strata: ${warningText(warning)}\n`);
  return damage.length > 0 ? ExitCode.Damaged : ExitCode.Done;
}

async function readReport(
  engine: Engine,
  source: Source,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Report> {
  const line = new ProgressLine(terminal);
  try {
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
