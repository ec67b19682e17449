import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { RunningServer } from '../../main/serve/server.ts';
import { launchChromium } from './chromium.ts';
import { openServed, type PageOptions, type ServedPage, serveForTest } from './served-page.ts';

export interface Serving {
  /** The server of the test that runs. */
  readonly server: RunningServer;
  /** A page of it, in a new profile; one that was open before is closed. */
  open(options?: PageOptions): Promise<Page>;
}

/** One browser for a file of tests; for each test a server, and pages that must have printed no error at its end. */
export function serving(): Serving {
  let browser: Browser;
  let server: RunningServer;
  let served: ServedPage | null = null;
  const closePage = async () => {
    const complaints = served?.complaints ?? [];
    await served?.close();
    served = null;
    expect(complaints).toEqual([]);
  };
  beforeAll(async () => {
    browser = await launchChromium();
  });
  beforeEach(async () => {
    server = await serveForTest();
  });
  afterEach(async () => {
    await closePage().finally(() => server.close());
  });
  afterAll(() => browser.close());
  return {
    get server() {
      return server;
    },
    open: async (options = {}) => {
      await closePage();
      served = await openServed(browser, server, options);
      return served.page;
    },
  };
}
