import type { Engine } from '../../app/contract/engine.ts';
import type { RunRequest, SweepResult } from '../../app/contract/simulation.ts';
import { DEFAULT_COST_MODEL } from '../../app/domain/cost-model.ts';
import { answerOf, ownAllocator } from '../../app/domain/runs.ts';
import { createEngine, engineError } from '../engine/index.ts';
import type { ExitCode } from './exit-code.ts';
import { endOf, type OpenedDevice, openDevice } from './opened-device.ts';
import { ProgressLine } from './progress-line.ts';
import { simulateJson, sweepJson } from './run-json.ts';
import { checkedRun, type RunOptions } from './run-options.ts';
import { answerText, simulateText, sweepText } from './run-text.ts';
import type { Terminal } from './terminal.ts';

export interface SimulateOptions extends RunOptions {
  readonly allocator: string;
  readonly set: Readonly<Record<string, string>>;
}

/**
 * `strata simulate FILE --allocator NAME [--set KEY=VALUE]…`: the requests of a capture through one allocator, against
 * the recording. Errors: those of `open` and of the allocator, "unknown-allocator", "unknown-setting", "no-history".
 */
export async function simulateCommand(
  file: string,
  options: SimulateOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode> {
  const engine = createEngine();
  const run = checkedRun(await engine.call('simulators', {}), options.allocator, options.set);
  const opened = await openDevice(engine, file, options.device, terminal, signal);
  const { recording, runs, refused } = await sweep(engine, opened, [run], options, terminal, signal);
  const [summary] = runs;
  if (summary === undefined) {
    const [{ code, message } = { code: 'internal', message: 'The run has no result.' }] = refused;
    throw engineError(code, message, '"strata simulators" lists what each setting may be.');
  }
  const write = options.json === true ? simulateJson : simulateText;
  await terminal.write(write(file, opened, recording, summary));
  return endOf(opened, terminal);
}

/** `strata sweep FILE`: the allocators and settings that are worth trying, ranked. Errors: those of `open`, "no-history". */
export async function sweepCommand(
  file: string,
  options: RunOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode> {
  const engine = createEngine();
  const simulators = await engine.call('simulators', {});
  const opened = await openDevice(engine, file, options.device, terminal, signal);
  const result = await sweep(engine, opened, null, options, terminal, signal);
  const own = ownAllocator(result.runs, opened.info);
  const answer = {
    sentence: answerText(
      answerOf(result.recording, result.runs, simulators, own),
      own,
      result.recording,
      opened,
    ),
    models: new Set(simulators.filter((one) => one.isModel).map((one) => one.name)),
  };
  const write = options.json === true ? sweepJson : sweepText;
  await terminal.write(write(file, opened, result, answer));
  return endOf(opened, terminal);
}

async function sweep(
  engine: Engine,
  { info, position }: OpenedDevice,
  runs: RunRequest[] | null,
  options: RunOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<SweepResult> {
  const line = new ProgressLine(terminal);
  try {
    return await engine.call(
      'sweep',
      {
        trace: info.trace,
        device: position,
        capacity: options.capacity ?? null,
        costModel: DEFAULT_COST_MODEL,
        columns: 1,
        runs,
      },
      { signal, onProgress: (step) => line.show(step) },
    );
  } finally {
    line.clear();
  }
}
