import type { CallOptions, Source } from '../../app/contract/engine.ts';
import { ExitCode } from './exit-code.ts';
import { ProgressLine } from './progress-line.ts';
import type { Terminal } from './terminal.ts';

export interface ServeCommandOptions {
  readonly port: number;
  /** False after --no-open. */
  readonly open: boolean;
  /** All files as one trace. */
  readonly together?: boolean;
}

/** The server, which the caller brings: `cli` and `serve` do not know each other. */
export type Serve = (options: {
  readonly sources: readonly Source[];
  readonly port: number;
  readonly isBrowserWanted: boolean;
  readonly onReady: (address: string) => void;
  readonly call: CallOptions;
  readonly signal: AbortSignal;
}) => Promise<void>;

/** What a server without a file shows. */
const SAMPLE: Source = { kind: 'sample', name: 'training-step' };

/** Each file is a trace, or all of them are one. */
function sourcesOf(files: readonly string[], isTogether: boolean): readonly Source[] {
  if (files.length === 0) return [SAMPLE];
  const paths = files.map((path) => ({ kind: 'path', path }) as const);
  return isTogether ? [{ kind: 'set', files: paths }] : paths;
}

/** `strata serve [FILE…]`: serves the pages until Ctrl-C. Errors: those of `serve`. */
export async function serveCommand(
  files: readonly string[],
  options: ServeCommandOptions,
  terminal: Terminal,
  signal: AbortSignal,
  serve: Serve,
): Promise<ExitCode> {
  const line = new ProgressLine(terminal);
  const opening = serve({
    sources: sourcesOf(files, options.together === true),
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
