import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../main/serve/server.ts';
import { launchChromium } from './chromium.ts';
import { openServed, type ServedPage, serveForTest } from './served-page.ts';

/** A log directory that the address names: its runs are offered, by mouse and by keys. */

const folder = mkdtempSync(path.join(tmpdir(), 'strata-log-'));
let browser: Browser;
let server: RunningServer;
let served: ServedPage;

function addRun(run: string, ...hosts: readonly string[]): void {
  const place = path.join(folder, 'plugins', 'profile', run);
  mkdirSync(place, { recursive: true });
  const snapshot = { timeOffsetPs: '1000', aggregationStats: { heapAllocatedBytes: '4096' } };
  const profile = { memoryProfilePerAllocator: { GPU_0_bfc: { memoryProfileSnapshots: [snapshot] } } };
  for (const host of hosts) {
    writeFileSync(path.join(place, `${host}.memory_profile.json`), JSON.stringify(profile));
  }
}

beforeAll(async () => {
  addRun('2024_05_01_10_00_00', 'one');
  addRun('2025_05_01_10_00_00', 'left', 'right');
  browser = await launchChromium();
});
beforeEach(async () => {
  server = await serveForTest();
  const offered = { ...server, address: `${server.address}&folder=${encodeURIComponent(folder)}` };
  served = await openServed(browser, offered);
});
afterEach(async () => {
  expect(served.complaints).toEqual([]);
  await served.close();
  await server.close();
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

const openNames = async () =>
  (await server.engine.call('list', {})).map(({ path: file }) => path.basename(file ?? '')).sort();

async function waitForTabs(count: number): Promise<void> {
  await expect.poll(() => served.page.locator('.tab').count(), { timeout: 10_000 }).toBe(count);
}

describe('Choose a run', () => {
  it('lists the runs, newest first, and opens all hosts of the chosen one as one trace', async () => {
    const dialog = served.page.getByRole('dialog');
    await dialog.waitFor();
    const names = await dialog.locator('.run-choice b').allInnerTexts();
    expect(names).toEqual(['2025_05_01_10_00_00', '2024_05_01_10_00_00']);
    await dialog.locator('.run-choice').first().click();
    await waitForTabs(1);
    const [opened] = await server.engine.call('list', {});
    expect(opened?.source.kind).toBe('set');
    expect(opened?.devices).toHaveLength(2);
  });

  it('is walked by arrow keys, opens with Enter, and is left with Escape without opening anything', async () => {
    const { page } = served;
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await openNames()).toEqual([]);
    const offered = `${server.address}&folder=${encodeURIComponent(folder)}`;
    await page.goto('about:blank');
    await page.goto(offered);
    await page.locator('.run-choice:focus').waitFor();
    for (const _ of ['left', 'right', 'older run']) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await waitForTabs(1);
    expect(await openNames()).toEqual(['one.memory_profile.json']);
  });
});
