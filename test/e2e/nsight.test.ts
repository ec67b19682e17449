import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningServer } from '../../main/serve/server.ts';
import { launchChromium } from './chromium.ts';
import { dropFile, openServed, type ServedPage, serveForTest } from './served-page.ts';

/** An export of Nsight Systems on screen: memory of one GPU that is several devices. */

const folder = mkdtempSync(path.join(tmpdir(), 'strata-nsight-'));
let browser: Browser;
let server: RunningServer;
let served: ServedPage;

beforeAll(async () => {
  execFileSync('python3', [path.resolve(import.meta.dirname, '../fixtures/nsight_exports.py'), folder]);
  browser = await launchChromium();
  server = await serveForTest();
  served = await openServed(browser, server);
});
afterAll(async () => {
  await served.close();
  await server.close();
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

it('names devices that share a GPU by what the capture calls them, and shows no secret', async () => {
  const { page, complaints } = served;
  await dropFile(page, 'report.sqlite', readFileSync(path.join(folder, 'nsight-modern.sqlite')));
  await page.getByRole('heading', { level: 1, name: 'report' }).waitFor();
  await page.getByRole('button', { name: /^Device: / }).click();
  const names = page.getByRole('menuitemradio');
  await names.first().waitFor();
  const texts = await names.allTextContents();
  expect(texts.map((text) => text.replace(/peak.*/, ''))).toEqual([
    'GPU 0',
    'GPU 0: managed memory',
    'GPU 0: imported pools',
    'Host memory',
  ]);
  await names.nth(1).click();
  await page.getByRole('button', { name: 'Device: GPU 0: managed memory' }).waitFor();
  expect(await page.locator('body').textContent()).not.toContain('hunter2');
  expect(complaints).toEqual([]);
});
