import type { CallOptions, Source } from '../../app/contract/engine.ts';
import { ExitCode } from './exit-code.ts';
import { ProgressLine } from './progress-line.ts';
import type { Terminal } from './terminal.ts';

export interface ServeCommandOptions {
  readonly port: number;
  /** False after --no-open. */
  readonly open: boolean;
}

/** The server, which the caller brings: `cli` and `serve` do not know each other. */
export type Serve = (options: {
  readonly source: Source;
  readonly port: number;
  readonly isBrowserWanted: boolean;
  readonly onReady: (address: string) => void;
  readonly call: CallOptions;
  readonly signal: AbortSignal;
}) => Promise<void>;

/** What a server without a file shows. */
const SAMPLE: Source = { kind: 'sample', name: 'training-step' };

/** `strata serve [FILE]`: serves the pages until Ctrl-C. Errors: those of `serve`. */
export async function serveCommand(
  file: string | undefined,
  options: ServeCommandOptions,
  terminal: Terminal,
  signal: AbortSignal,
  serve: Serve,
): Promise<ExitCode> {
  const line = new ProgressLine(terminal);
  const opening = serve({
    source: file === undefined ? SAMPLE : { kind: 'path', path: file },
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
