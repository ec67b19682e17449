import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../main/serve/server.ts';
import { buildFakeNvml } from '../main/engine/fake-nvml.ts';
import { launchChromium } from './chromium.ts';
import { openServed, type PageOptions, type ServedPage, serveForTest } from './served-page.ts';

/** The Live view on the real engine, over a fake driver loaded as the real one is, and over the simulated source. */

const home = mkdtempSync(path.join(tmpdir(), 'strata-live-'));
const library = buildFakeNvml(home);
let browser: Browser;
let server: RunningServer;
let served: ServedPage;

const VARIABLES = ['STRATA_NVML_LIBRARY', 'STRATA_SYSFS_ROOT', 'STRATA_RECORDINGS', 'FAKE_NVML'];

/** Each machine has an engine of its own, which looks for GPUs when the view is opened. */
async function openLive(machine: { readonly nvml: string; readonly fake?: string }, look: PageOptions = {}) {
  process.env['STRATA_NVML_LIBRARY'] = machine.nvml;
  process.env['STRATA_SYSFS_ROOT'] = '/nowhere';
  process.env['STRATA_RECORDINGS'] = home;
  process.env['FAKE_NVML'] = machine.fake ?? '';
  server = await serveForTest();
  served = await openServed(browser, server, look);
  await served.page.keyboard.press('9');
  return served.page;
}

beforeAll(async () => {
  browser = await launchChromium();
});
afterEach(async () => {
  await served.close();
  await server.close();
  for (const name of VARIABLES) delete process.env[name];
});
afterAll(async () => {
  await browser.close();
  rmSync(home, { recursive: true, force: true });
});

const faults = async (page: ServedPage['page']) =>
  (await new AxeBuilder({ page }).analyze()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);

describe('the Live view', () => {
  it('says what was looked for, and plays, records and opens the simulated source', async () => {
    const page = await openLive({ nvml: '/nowhere/libnvidia-ml.so.1' });
    await page.getByText('There is nothing to sample here yet.').waitFor();
    await page.getByText('/nowhere/class/drm').first().waitFor();
    expect(await faults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Eight GPUs' }).click();
    await page.getByRole('button', { name: /GPU 7/ }).waitFor();
    expect(await page.getByRole('button', { name: /MIG/ }).count()).toBe(2);
    expect(await page.locator('h1').textContent()).toContain('simulated');
    await page.getByRole('button', { name: 'Start recording' }).click();
    await page.getByText(/[1-9]\d* samples/).waitFor();
    await page.keyboard.press('m');
    await page.getByText('Mark 1').waitFor();
    expect(await faults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Stop recording' }).click();
    await page.getByRole('heading', { name: 'Recorded GPUs' }).waitFor();
    await page.getByText('Mark 1').waitFor();
    await page.locator('.sampled-line.memory').waitFor({ state: 'attached' });
    expect(await faults(page)).toEqual([]);
    expect(readdirSync(home).filter((name) => name.startsWith('simulated'))).toHaveLength(1);
    expect(served.complaints).toEqual([]);
  });

  it.skipIf(library === null)('shows what a driver says, by keyboard, in Chinese and dark', async () => {
    const machine = { nvml: library as string, fake: 'gpus=2 mig=2 processes=3' };
    const page = await openLive(machine, { colorScheme: 'dark', locale: 'zh-CN' });
    const cards = page.locator('.gpu-card');
    await cards.nth(3).waitFor();
    await page.getByText('10.00 GiB').first().waitFor();
    await cards.nth(3).focus();
    await page.keyboard.press('Enter');
    await page.getByText('GPU 1 上的进程').waitFor();
    await page.getByRole('cell', { name: 'fake-4000002' }).waitFor();
    await page.getByRole('searchbox').fill('4000001');
    await expect.poll(() => page.locator('.process-table tbody tr').count()).toBe(1);
    await page.locator('.limit-row input').first().fill('5');
    await page.locator('.banner-critical').waitFor();
    expect(await faults(page)).toEqual([]);
    expect(served.complaints).toEqual([]);
  });

  it.skipIf(library === null)('holds the picture on Space, and says that a GPU is lost', async () => {
    const page = await openLive({ nvml: library as string, fake: 'gpus=2 lost=1' });
    await page.getByText('lost', { exact: true }).waitFor();
    await page.locator('.sampled-line.memory').waitFor({ state: 'attached' });
    await page.keyboard.press('Escape');
    await page.locator('body').press('Space');
    await page.getByText('held').waitFor();
  });

  it.skipIf(library === null)('goes on although a call of the driver never returns', async () => {
    const page = await openLive({ nvml: library as string, fake: 'hang=nvmlDeviceGetTemperature' });
    await page.getByRole('button', { name: /GPU 1/ }).waitFor();
    await page.getByText('nvmlDeviceGetTemperature').waitFor();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
  });
});
