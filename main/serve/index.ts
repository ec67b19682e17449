import type { CallOptions, Source } from '../../app/contract/engine.ts';
import { openBrowser } from './browser.ts';
import { findPages } from './pages.ts';
import { startServer } from './server.ts';

export interface ServeOptions {
  /** Opened before the address is printed, so that the page finds them. */
  readonly sources: readonly Source[];
  /** A log directory that the page offers to choose from, or null. */
  readonly folder: string | null;
  readonly port: number;
  readonly isBrowserWanted: boolean;
  /** Called once with the address, when everything is ready. */
  readonly onReady: (address: string) => void;
  readonly call: CallOptions;
  /** Stops the server. */
  readonly signal: AbortSignal;
}

/**
 * Serves the pages and open captures until the signal aborts. Errors: those of `open`, "pages-missing",
 * "port-in-use", "port-not-allowed".
 */
export async function serve(options: ServeOptions): Promise<void> {
  const server = await startServer(findPages(), options.port);
  try {
    const { sources, folder } = options;
    for (const source of sources) await server.engine.call('open', { source }, options.call);
    const address =
      folder === null ? server.address : `${server.address}&folder=${encodeURIComponent(folder)}`;
    options.onReady(address);
    if (options.isBrowserWanted) openBrowser(address);
    await aborted(options.signal);
  } finally {
    await server.close();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
