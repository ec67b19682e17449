import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { build, type PreviewServer, preview } from 'vite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FAKE_TRACES } from '../renderer/fake/fake-engine.ts';
import { launchChromium } from './chromium.ts';

/** Every screen in every state over made-up traces: readable by assistive technology, and nothing clipped. */

const configFile = path.resolve(import.meta.dirname, '../renderer/harness/vite.config.ts');
const outDir = mkdtempSync(path.join(tmpdir(), 'strata-harness-'));
let browser: Browser;
let server: PreviewServer;
let address: string;
let context: BrowserContext;

beforeAll(async () => {
  await build({ configFile, logLevel: 'error', build: { outDir, emptyOutDir: true } });
  server = await preview({ configFile, build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
  address = server.resolvedUrls?.local[0] ?? expect.fail('no address');
  browser = await launchChromium();
});
afterEach(() => context.close());
afterAll(async () => {
  await browser.close();
  await server.close();
  rmSync(outDir, { recursive: true, force: true });
});

/** Samples show nothing that the other traces do not. */
const STATES = Object.keys(FAKE_TRACES).filter(
  (name) => !['out-of-memory', 'expandable-segments'].includes(name),
);

interface Look {
  readonly theme?: 'light' | 'dark' | 'contrast';
  readonly language?: 'en' | 'zh-CN';
  readonly scale?: number;
  readonly width?: number;
  readonly height?: number;
}

async function openHarness(query: string, look: Look = {}): Promise<Page> {
  const { theme = 'light', language = 'en', scale = 100, width = 1440, height = 900 } = look;
  context = await browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce' });
  await context.addInitScript(
    (settings) => localStorage.setItem('strata.settings', JSON.stringify(settings)),
    { theme, language, scalePercent: scale },
  );
  const page = await context.newPage();
  await page.goto(`${address}?${query}`);
  await page.locator('h1').waitFor();
  return page;
}

/** Opens one trace and waits for the facts of its Overview. */
async function openTrace(name: string, look: Look = {}): Promise<Page> {
  const page = await openHarness(`open=${name}`, look);
  await page.locator('.fact').first().waitFor();
  return page;
}

async function showView(page: Page, key: '1' | '2' | '3' | '7'): Promise<void> {
  await page.keyboard.press(key);
  await page.locator('.view-header:not([data-busy])').waitFor();
  if (key === '7') await page.locator('.run-panel, .empty-view').first().waitFor();
  else if (key !== '1') await page.locator('.inspector-body .pairs').first().waitFor();
}

async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.map(
    (one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`,
  );
  expect(found).toEqual([]);
}

/** Texts that are cut without an ellipsis, and boxes that reach beyond the window. */
async function clippings(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    if (document.documentElement.scrollWidth > innerWidth + 1) found.push('the page scrolls sideways');
    for (const element of document.querySelectorAll<HTMLElement>(
      'h1, h2, p, button, dt, dd, td, th, label, .pill',
    )) {
      const style = getComputedStyle(element);
      if (element.closest('.unseen') !== null || style.visibility === 'hidden') continue;
      const box = element.getBoundingClientRect();
      if (box.width === 0) continue;
      const isCut = element.scrollWidth > element.clientWidth + 1 && style.display !== 'inline';
      const isMeant = style.textOverflow === 'ellipsis' || element.querySelector('.ellipsis') !== null;
      if (isCut && !isMeant) found.push(`cut: ${element.outerHTML.slice(0, 120)}`);
      if (box.right > innerWidth + 1) found.push(`beyond the window: ${element.outerHTML.slice(0, 120)}`);
    }
    for (const page of document.querySelectorAll('.page')) {
      if (page.scrollWidth > page.clientWidth + 1) found.push('a view scrolls sideways');
    }
    return found;
  });
}

describe('assistive technology reads', () => {
  for (const name of STATES) {
    it(`the Overview of the trace ${name}`, async () => {
      await expectAccessible(await openTrace(name));
    });
  }

  for (const name of ['training-step', 'state-only', 'damaged']) {
    it(`the pictures of the trace ${name}`, async () => {
      const page = await openTrace(name);
      for (const key of ['2', '3', '7'] as const) {
        await showView(page, key);
        await expectAccessible(page);
      }
    });
  }

  for (const theme of ['dark', 'contrast'] as const) {
    it(`every view in the ${theme} theme`, async () => {
      const page = await openTrace('fragmented', { theme });
      await expectAccessible(page);
      for (const key of ['2', '3', '7'] as const) {
        await showView(page, key);
        await expectAccessible(page);
      }
      await page.keyboard.press('Control+,');
      await expectAccessible(page);
    });
  }

  it('Start, empty and with recent captures, what is being opened and what was refused', async () => {
    const page = await openHarness('open=fragmented,evil&pause=30');
    await page.getByRole('progressbar').first().waitFor();
    await expectAccessible(page);
    await page.locator('.fact').first().waitFor();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.locator('.recent').waitFor();
    await page.getByRole('alert').waitFor();
    await expectAccessible(page);
  });

  it('the table that stands for each picture', async () => {
    const page = await openTrace('training-step');
    for (const key of ['2', '3', '7'] as const) {
      await showView(page, key);
      await page.keyboard.press('t');
      await page.getByRole('table').first().waitFor();
      await expectAccessible(page);
      await page.keyboard.press('t');
    }
  });

  it('dialogs, banners and the selected block', async () => {
    const page = await openTrace('damaged');
    for (const key of ['?', 'g']) {
      await page.keyboard.press(key);
      await page.getByRole('dialog').waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.keyboard.press('g');
    await page.locator('[role="dialog"] input:focus').waitFor();
    await page.keyboard.type('0x7f1200000010');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Block', exact: true }).waitFor();
    await expectAccessible(page);
    await page.evaluate(() => {
      window.harness.disconnect();
      window.harness.restart();
    });
    await page.getByRole('alert').waitFor();
    await expectAccessible(page);
  });
});

describe('nothing is clipped', () => {
  const sizes = [
    { width: 1440, height: 900 },
    { width: 1024, height: 700 },
    // At 200 % the widest common screen is as narrow as the smallest window.
    { width: 2048, height: 1400, scale: 200 },
  ];
  for (const size of sizes) {
    for (const language of ['en', 'zh-CN'] as const) {
      it(`at ${size.width} × ${size.height}, ${size.scale ?? 100} %, in ${language}`, async () => {
        const page = await openTrace('fragmented', { ...size, language });
        expect(await clippings(page)).toEqual([]);
        for (const key of ['2', '3', '7'] as const) {
          await page.keyboard.press(key);
          await page.locator('.view-header:not([data-busy])').waitFor();
          expect(await clippings(page)).toEqual([]);
        }
        await page.keyboard.press('Control+,');
        expect(await clippings(page)).toEqual([]);
        await page.locator('.sidebar-entry').first().click();
        await page.locator('.recent').waitFor();
        expect(await clippings(page)).toEqual([]);
      });
    }
  }

  for (const name of STATES) {
    it(`on the Overview of the trace ${name} in the smallest window`, async () => {
      const page = await openTrace(name, { width: 1024, height: 700 });
      expect(await clippings(page)).toEqual([]);
    });
  }
});
