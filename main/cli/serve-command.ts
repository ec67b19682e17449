import type { CallOptions, Source } from '../../app/contract/engine.ts';
import { createEngine } from '../engine/index.ts';
import { chosenSource, type RunChoice, together } from './chosen-run.ts';
import { ExitCode } from './exit-code.ts';
import { ProgressLine } from './progress-line.ts';
import type { Terminal } from './terminal.ts';

export interface ServeCommandOptions extends RunChoice {
  readonly port: number;
  /** False after --no-open. */
  readonly open: boolean;
  /** All files as one trace. */
  readonly together?: boolean;
}

/** The server, which the caller brings: `cli` and `serve` do not know each other. */
export type Serve = (options: {
  readonly sources: readonly Source[];
  /** A log directory from which the page lets the user choose. */
  readonly folder: string | null;
  readonly port: number;
  readonly isBrowserWanted: boolean;
  readonly onReady: (address: string) => void;
  readonly call: CallOptions;
  readonly signal: AbortSignal;
}) => Promise<void>;

/** What a server without a file shows. */
const SAMPLE: Source = { kind: 'sample', name: 'training-step' };

/** Each file is a trace, or all of them are one; of a log directory without an answer of its own, the page asks. */
async function named(
  files: readonly string[],
  options: ServeCommandOptions,
): Promise<{ readonly sources: readonly Source[]; readonly folder: string | null }> {
  if (files.length === 0) return { sources: [SAMPLE], folder: null };
  const engine = createEngine();
  const sources: Source[] = [];
  let folder: string | null = null;
  for (const file of files) {
    const chosen = await chosenSource(engine, file, options);
    if (chosen.kind === 'source') sources.push(chosen.source);
    else folder ??= chosen.folder;
  }
  const isOne = options.together === true && sources.length > 0;
  return { sources: isOne ? [together(sources)] : sources, folder };
}

/** `strata serve [FILE…]`: serves the pages until Ctrl-C. Errors: those of `serve` and `chosenSource`. */
export async function serveCommand(
  files: readonly string[],
  options: ServeCommandOptions,
  terminal: Terminal,
  signal: AbortSignal,
  serve: Serve,
): Promise<ExitCode> {
  const { sources, folder } = await named(files, options);
  const line = new ProgressLine(terminal);
  const opening = serve({
    sources,
    folder,
    port: options.port,
    isBrowserWanted: options.open,
    signal,
    call: { signal, onProgress: (step) => line.show(step) },
    onReady: (address) => {
      line.clear();
      terminal.writeError('Strata runs at the address below, for you alone. Ctrl-C stops it.\n');
      void terminal.write(`${address}\n`);
    },
  });
  await opening.finally(() => line.clear());
  return ExitCode.Done;
}
