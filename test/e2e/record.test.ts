import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RECORD_GUIDES } from '../../app/help/record.ts';
import type { RunningServer } from '../../main/serve/server.ts';
import { launchChromium } from './chromium.ts';
import { dropFile, openServed, type PageOptions, type ServedPage, serveForTest } from './served-page.ts';

/** How to record: reached by key, from Start and from what could not be opened or shown; read and copied. */

let browser: Browser;
let server: RunningServer;
let served: ServedPage;

beforeAll(async () => {
  browser = await launchChromium();
});
afterEach(async () => {
  await served.close();
  await server.close();
});
afterAll(() => browser.close());

async function open(look: PageOptions = {}): Promise<ServedPage['page']> {
  server = await serveForTest();
  served = await openServed(browser, server, look);
  return served.page;
}

const faults = async (page: ServedPage['page']) =>
  (await new AxeBuilder({ page }).analyze()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);

const isClipped = (page: ServedPage['page']) =>
  page.evaluate(() => document.documentElement.scrollWidth > innerWidth);

describe('how to record', () => {
  it('is there by F1, is walked by arrow keys and copies what it shows', async () => {
    const page = await open();
    await page.keyboard.press('F1');
    await page.getByRole('heading', { level: 1, name: 'How to record' }).waitFor();
    for (const { id } of RECORD_GUIDES) {
      await page.locator(`[data-guide=${id}][aria-current]`).waitFor();
      expect(await page.locator('.record-step').count()).toBeGreaterThan(0);
      await page.keyboard.press('ArrowDown');
    }
    await page.locator('[data-guide=nsight]').click();
    await page.locator('.record-step').first().getByRole('button').click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('--cuda-memory-usage=true');
    expect(await faults(page)).toEqual([]);
    expect(served.complaints).toEqual([]);
  });

  it('is read in the smallest window, dark and in Chinese', async () => {
    const page = await open({ colorScheme: 'dark', locale: 'zh-CN', width: 1000, height: 700 });
    await page.keyboard.press('F1');
    for (const { id } of RECORD_GUIDES) {
      await page.locator(`[data-guide=${id}]`).click();
      expect(await isClipped(page), id).toBe(false);
    }
    expect(await faults(page)).toEqual([]);
  });

  it('is what Start and a file that is no capture lead to', async () => {
    const page = await open();
    await page.locator('.start-side').getByRole('button', { name: 'How to record' }).click();
    await page.locator('.record-guide').waitFor();
    await page.locator('.sidebar').getByRole('button', { name: 'Start', exact: true }).click();
    await dropFile(page, 'notes.txt', Buffer.from('nothing that an allocator wrote\n'));
    await page.locator('.refused').getByRole('button', { name: 'How to record' }).click();
    await page.locator('.record-guide').waitFor();
  });

  it('is where a view leads that has nothing to show, at the guide of the format', async () => {
    const page = await open();
    const totals = 'time_us,action,bytes\n1,alloc,100\n2,alloc,200\n3,free,100\n';
    await dropFile(page, 'totals.csv', Buffer.from(totals));
    await page.locator('.tab[data-active]', { hasText: 'totals' }).waitFor();
    await page.keyboard.press('3');
    await page.getByRole('button', { name: 'How to record: CSV or JSON lines' }).click();
    await page.locator('[data-guide=generic][aria-current]').waitFor();
    expect(served.complaints).toEqual([]);
  });
});
