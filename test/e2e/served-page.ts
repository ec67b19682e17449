import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { findPages } from '../../main/serve/pages.ts';
import { type RunningServer, startServer } from '../../main/serve/server.ts';

/** The built pages in a browser, over the real server, engine and addon. */

const samples = path.resolve(import.meta.dirname, '../../app/samples');

/** A sample capture as PyTorch would have written it, unpacked. */
export function sampleBytes(name: string): Buffer {
  return gunzipSync(readFileSync(path.join(samples, `${name}.pickle.gz`)));
}

export interface ServedPage {
  readonly page: Page;
  /** What the page printed as an error. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

export interface PageOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly locale?: string;
  readonly width?: number;
  readonly height?: number;
}

export const serveForTest = (): Promise<RunningServer> => startServer(findPages());

/** A new profile in the browser that the caller keeps. */
export async function openServed(
  browser: Browser,
  server: RunningServer,
  { colorScheme = 'light', locale = 'en-GB', width = 1440, height = 900 }: PageOptions = {},
): Promise<ServedPage> {
  const context = await browser.newContext({
    colorScheme,
    locale,
    viewport: { width, height },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(server.address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  // Keys mean the trace that is open, so it must be there before they are pressed.
  const open = await server.engine.call('list', {});
  if (open.length > 0) await page.locator('.tab[data-active]').waitFor();
  await painted(page);
  return { page, complaints, close: () => context.close() };
}

/** Chromium drops keys and clicks that come before its first picture. */
async function painted(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
}

/** Drops a file on the window, as from the desktop. */
export function dropFile(page: Page, name: string, bytes: Buffer): Promise<void> {
  return dropFiles(page, { [name]: bytes });
}

/** Drops several files at once. */
export async function dropFiles(page: Page, files: Readonly<Record<string, Buffer>>): Promise<void> {
  const packed = Object.entries(files).map(([name, bytes]) => [name, bytes.toString('base64')] as const);
  await page.evaluate((dropped) => {
    const transfer = new DataTransfer();
    for (const [name, base64] of dropped) {
      const content = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      transfer.items.add(new File([content], name));
    }
    for (const type of ['dragover', 'drop']) {
      dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }
  }, packed);
}
