import { createReadStream } from 'node:fs';
import { replayTrace, temporaryFile } from '../engine/index.ts';
import { ExitCode } from './exit-code.ts';
import type { Terminal } from './terminal.ts';

export interface ReplayOptions {
  /** A file whose first line is a configuration. */
  readonly config: string;
  /** Where the output goes; without it, to standard output. */
  readonly out?: string;
}

/**
 * `strata replay TRACE --config LINE1`: what a simulated allocator does with the requests of a golden trace, in the
 * format of the golden vectors. Errors: those of `replayTrace`.
 */
export async function replayCommand(
  trace: string,
  options: ReplayOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode> {
  const temporary = options.out === undefined ? temporaryFile() : null;
  try {
    const out = temporary?.path ?? options.out ?? '';
    const { warnings } = await replayTrace({ trace, configuration: options.config, out, signal });
    if (temporary !== null) await print(temporary.path, terminal);
    for (const { message, code } of warnings) terminal.writeError(`strata: ${message} (${code})\n`);
    return warnings.some((warning) => warning.isDamage) ? ExitCode.Damaged : ExitCode.Done;
  } finally {
    temporary?.remove();
  }
}

async function print(path: string, terminal: Terminal): Promise<void> {
  for await (const chunk of createReadStream(path, 'utf8')) await terminal.write(chunk as string);
}
