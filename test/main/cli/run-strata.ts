import { runCommandLine } from '../../../main/cli/program.ts';
import { type ServeOptions, serve } from '../../../main/serve/index.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  /** Whether a person watches the terminal, so that progress is shown. */
  readonly watched?: boolean;
  readonly signal?: AbortSignal;
  readonly serve?: (options: ServeOptions) => Promise<void>;
  /** Told of each text that goes to standard error, when it does. */
  readonly onError?: (text: string) => void;
}

/** The command line as a shell runs it: what it answers, and what it wrote to either output. */
export async function runStrata(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  let out = '';
  let err = '';
  const terminal = {
    write: async (text: string) => {
      out += text;
    },
    writeError: (text: string) => {
      err += text;
      options.onError?.(text);
    },
    isWatched: options.watched === true,
  };
  const signal = options.signal ?? new AbortController().signal;
  const code = await runCommandLine(args, terminal, signal, options.serve ?? serve);
  return { code, out, err };
}

export const strata = (...args: readonly string[]) => runStrata(args);
