import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { HOLDER_MOMENTS } from '../../app/contract/engine.ts';
import { FASTEST_HZ, SCENARIOS, SLOWEST_HZ } from '../../app/contract/live.ts';
import { version } from '../../package.json';
import { toEngineError } from '../engine/index.ts';
import { type DiffOptions, diffCommand } from './diff-command.ts';
import { errorText } from './error-text.ts';
import { ExitCode } from './exit-code.ts';
import { type ListenOptions, listenCommand, RECORDINGS_HELP } from './listen-command.ts';
import { recordHelp } from './record-help.ts';
import { type ReplayOptions, replayCommand } from './replay-command.ts';
import { type ReportOptions, reportCommand } from './report-command.ts';
import { capacityOption, type RunOptions, settingOption } from './run-options.ts';
import { type SampleOptions, sampleCommand } from './sample-command.ts';
import { type Serve, type ServeCommandOptions, serveCommand } from './serve-command.ts';
import { type SimulateOptions, simulateCommand, sweepCommand } from './simulate-command.ts';
import { simulatorsCommand } from './simulators-command.ts';
import type { Terminal } from './terminal.ts';

const CAPACITY_HELP =
  'memory of the device, such as 24GiB, or "unlimited"; without it, as the recording shows it';

const TOGETHER_HELP =
  'all files as one trace: the ranks of a run, or a recording of GPUs beside what an allocator recorded';
const RUN_HELP = 'of a log directory: the run to open; without it, the runs are listed';
const HOST_HELP = 'of a run of several hosts: the host to open';

/** Runs one command; never throws. `signal` aborts with Ctrl-C. */
export async function runCommandLine(
  args: readonly string[],
  terminal: Terminal,
  signal: AbortSignal,
  serve: Serve,
): Promise<ExitCode> {
  let exitCode: ExitCode = ExitCode.Done;
  let file: string | null = null;
  const program = createProgram(terminal);

  program
    .command('report')
    .description('print the facts of a capture, or of several')
    .argument('<file...>', 'captures or log directories; several are reported one after the other')
    .option('--together', TOGETHER_HELP)
    .option('--run <name>', RUN_HELP)
    .option('--host <name>', HOST_HELP)
    .option('--json', 'as JSON, in the schema that main/cli/REPORT.md describes')
    .option('--device <ordinal>', 'only this device', wholeNumber)
    .action(async (paths: readonly string[], options: ReportOptions) => {
      file = paths.length === 1 ? (paths[0] ?? null) : null;
      exitCode = await reportCommand(paths, options, terminal, signal);
    });

  program
    .command('diff')
    .description('what changed between two captures, by call stack: after minus before')
    .argument('<before>', 'a capture')
    .argument('<after>', 'another capture of the same program')
    .option('--device <ordinal>', 'only this device', wholeNumber)
    .addOption(
      new Option('--at <moment>', 'the moment that is compared').choices(HOLDER_MOMENTS).default('peak'),
    )
    .option('--json', 'as JSON, in the schema that main/cli/DIFF.md describes')
    .action(async (before: string, after: string, options: DiffOptions) => {
      exitCode = await diffCommand(before, after, options, terminal, signal);
    });

  program
    .command('simulate')
    .description('what another allocator, or other settings, would have done with the requests of a capture')
    .argument('<file>', 'a capture with history')
    .requiredOption('--allocator <name>', 'one of those that "strata simulators" lists')
    .option('--set <key=value>', 'a setting of the allocator; may be given again', settingOption, {})
    .option('--device <ordinal>', 'the device; without it, the one with the highest peak', wholeNumber)
    .option('--capacity <size>', CAPACITY_HELP, capacityOption)
    .option('--json', 'as JSON, in the schema that main/cli/SIMULATE.md describes')
    .action(async (path: string, options: SimulateOptions) => {
      file = path;
      exitCode = await simulateCommand(path, options, terminal, signal);
    });

  program
    .command('sweep')
    .description('the allocators and settings that are worth trying on a capture, best first')
    .argument('<file>', 'a capture with history')
    .option('--device <ordinal>', 'the device; without it, the one with the highest peak', wholeNumber)
    .option('--capacity <size>', CAPACITY_HELP, capacityOption)
    .option('--json', 'as JSON, in the schema that main/cli/SIMULATE.md describes')
    .action(async (path: string, options: RunOptions) => {
      file = path;
      exitCode = await sweepCommand(path, options, terminal, signal);
    });

  program
    .command('simulators')
    .description('the allocators that can be simulated, and their settings')
    .option('--json', 'as JSON')
    .action(async (options: { readonly json?: boolean }) => {
      exitCode = await simulatorsCommand(options, terminal);
    });

  program
    .command('replay')
    .description('replay a golden trace through a simulated allocator')
    .argument('<trace>', 'a text trace of allocations and frees, plain or gzip')
    .requiredOption('--config <file>', 'a file whose first line is the configuration, as in a golden file')
    .option('--out <file>', 'write the output there, not to standard output')
    .action(async (path: string, options: ReplayOptions) => {
      exitCode = await replayCommand(path, options, terminal, signal);
    });

  program
    .command('sample')
    .description('print or record what the GPUs of this machine do')
    .option('--hz <rate>', `samples a second, ${SLOWEST_HZ} to ${FASTEST_HZ}`, sampleRate, 10)
    .option('--seconds <number>', 'end after so long; without it, Ctrl-C ends it', positive)
    .option('--out <file>', 'record to a file, which opens like any capture')
    .addOption(
      new Option('--limit <MiB>', 'of the recording; the older half goes to FILE.1')
        .argParser(mebibytes)
        .default(1024 ** 3, '1024'),
    )
    .addOption(new Option('--append', 'go on with a recording that is there').conflicts('force'))
    .option('--force', 'replace a recording that is there')
    .addOption(
      new Option('--growth <MiB>', 'tell of processes that grow by more than that')
        .argParser(mebibytes)
        .default(256 * 1024 ** 2, '256'),
    )
    .addOption(new Option('--json', 'a line of JSON for each sample').conflicts('csv'))
    .option('--csv', 'a row for each sample and GPU: bytes, percent, °C, mW, MHz, bytes a second, mJ')
    .option('--pcie', 'read PCIe throughput too, which is slow')
    .addOption(
      new Option('--simulated [scenario]', 'GPUs that do not exist, to try it')
        .choices(SCENARIOS)
        .preset(SCENARIOS[0]),
    )
    .action(async (options: SampleOptions) => {
      exitCode = await sampleCommand(options, terminal, signal);
    });

  program
    .command('help')
    .description('help on a command; "help record" says how to record a capture')
    .argument('[topic]', 'a command, or "record"')
    .argument('[name]', 'of "record": the kind of capture')
    .action(async (topic: string | undefined, name: string | undefined) => {
      if (topic === 'record') return recordHelp(name, terminal);
      if (topic === undefined) return program.outputHelp();
      const command = program.commands.find((one) => one.name() === topic);
      if (command === undefined) return unknownTopic(program, topic);
      command.outputHelp();
    });

  program
    .command('listen')
    .description(
      'record what running programs allocate, as they stream it (main/engine/allocations/PROTOCOL.md)',
    )
    .option('--out <file>', `the recording; without it, one for each program in ${RECORDINGS_HELP}`)
    .option('--json', 'a line of JSON for each thing that happens')
    .addOption(new Option('--socket <path>', 'the Unix socket; without it, the usual one').conflicts('tcp'))
    .option(
      '--tcp <port>',
      'a port of the loopback address with a token, instead; 0 takes any free one',
      portNumber,
    )
    .addOption(
      new Option('--limit <MiB>', 'of each recording').argParser(mebibytes).default(4 * 1024 ** 3, '4096'),
    )
    .option('--once', 'end when the first program has ended')
    .action(async (options: ListenOptions) => {
      exitCode = await listenCommand(options, terminal, signal);
    });

  program
    .command('serve')
    .description('serve the application to a browser on this machine')
    .argument('[file...]', 'captures or log directories to show; without one, a sample')
    .option('--together', TOGETHER_HELP)
    .option('--run <name>', RUN_HELP)
    .option('--host <name>', HOST_HELP)
    .option('--port <number>', 'the port to listen on; 0 takes any free one', portNumber, 0)
    .option('--no-open', 'do not open a browser')
    .action(async (paths: readonly string[], options: ServeCommandOptions) => {
      file = paths.length === 1 ? (paths[0] ?? null) : null;
      exitCode = await serveCommand(paths, options, terminal, signal, serve);
    });

  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return failed(error, file, terminal);
  }
}

function createProgram(terminal: Terminal): Command {
  return new Command('strata')
    .description('Shows where GPU memory went.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void terminal.write(text),
      writeErr: (text) => terminal.writeError(text),
    })
    .helpCommand(false)
    .addHelpText('after', '\nExit codes: 0 opened, 2 opened but damaged, 1 refused.');
}

function unknownTopic(program: Command, topic: string): never {
  const topics = ['record', ...program.commands.map((one) => one.name())].join(', ');
  return program.error(`error: there is no help on '${topic}'. There is help on: ${topics}.`);
}

function failed(error: unknown, file: string | null, terminal: Terminal): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.Done : ExitCode.Refused;
  const known = toEngineError(error);
  terminal.writeError(errorText(known, file));
  return known.code === 'cancelled' ? ExitCode.Cancelled : ExitCode.Refused;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new InvalidArgumentError('It must be a number above 0.');
  return value;
}

function sampleRate(text: string): number {
  const rate = positive(text);
  if (rate >= SLOWEST_HZ && rate <= FASTEST_HZ) return rate;
  throw new InvalidArgumentError(`It must be from ${SLOWEST_HZ} to ${FASTEST_HZ}.`);
}

const mebibytes = (text: string) => Math.round(positive(text) * 1024 ** 2);

const HIGHEST_PORT = 65535;

function portNumber(text: string): number {
  const port = wholeNumber(text);
  if (port > HIGHEST_PORT) throw new InvalidArgumentError(`It must be at most ${HIGHEST_PORT}.`);
  return port;
}
