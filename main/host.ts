import { runCommandLine } from './cli/program.ts';
import { processTerminal } from './cli/terminal.ts';
import { serve } from './serve/index.ts';

/** The first Ctrl-C cancels what is under way, the second ends the process at once. */
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => stopping.abort());
}

// Exits explicitly: an idle worker thread or a browser's open connection must not keep the terminal waiting.
process.exit(await runCommandLine(process.argv.slice(2), processTerminal(), stopping.signal, serve));
