import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startSampler } from '../../main/engine/sampler.ts';
import type { RunningServer } from '../../main/serve/server.ts';
import { buildFakeNvml } from '../main/engine/fake-nvml.ts';
import { launchChromium } from './chromium.ts';
import { dropFile, openServed, type PageOptions, type ServedPage, serveForTest } from './served-page.ts';

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
  await closeAll();
  for (const name of VARIABLES) delete process.env[name];
});
afterAll(async () => {
  await browser.close();
  rmSync(home, { recursive: true, force: true });
});

async function closeAll(): Promise<void> {
  await served.close();
  await server.close();
}

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

  it.skipIf(library === null)(
    'keeps the limits in reach below thirty processes, whose long names can be read whole by keyboard',
    async () => {
      const program = `${'ray-RolloutWorker-'.repeat(6)}of-one-node`;
      const machine = { nvml: library as string, fake: `gpus=1 processes=30 name=${program}` };
      for (const width of [1000, 1440, 2200]) {
        const page = await openLive(machine, { width, height: 700 });
        const name = page.getByRole('button', { name: `${program}-4000029` });
        await name.waitFor();
        const limits = page.getByLabel('Memory used');
        expect((await limits.boundingBox())?.y).toBeLessThan(640);
        expect(await page.locator('.process-heading span').textContent()).toBe('30');
        const isCut = () => name.locator('span').evaluate((one) => one.scrollHeight > one.clientHeight + 1);
        expect(await isCut()).toBe(true);
        await name.focus();
        await page.keyboard.press('Enter');
        expect(await name.getAttribute('aria-expanded')).toBe('true');
        expect(await isCut()).toBe(false);
        await page.locator('.process-scroll').focus();
        await page.keyboard.press('End');
        await page.getByRole('cell', { name: '4000001', exact: true }).waitFor();
        expect(await faults(page)).toEqual([]);
        expect(served.complaints).toEqual([]);
        if (width !== 2200) await closeAll();
      }
    },
  );

  it.skipIf(library === null)('shows a name of twenty letters whole at every width', async () => {
    const machine = { nvml: library as string, fake: 'gpus=1 processes=4 name=tritonserver' };
    for (const width of [1000, 1440, 2200]) {
      const page = await openLive(machine, { width });
      const name = page.locator('.process-name', { hasText: 'tritonserver-4000003' });
      await name.waitFor();
      expect(await name.getAttribute('title')).toBe('tritonserver-4000003');
      expect(await name.evaluate((one) => one.scrollHeight <= one.clientHeight + 1)).toBe(true);
      if (width !== 2200) await closeAll();
    }
  });

  it.skipIf(library === null)(
    'warns at limits, draws them, logs them and keeps them over a reload',
    async () => {
      const page = await openLive({ nvml: library as string, fake: 'gpus=2 processes=1' });
      await page.locator('.gpu-card').nth(1).waitFor();
      await page.getByLabel('Memory used').fill('5');
      await page.getByText('GPU 0: memory has reached 5 %.').waitFor();
      expect(await page.getByRole('alert').filter({ hasText: 'reached' }).count()).toBe(0);
      await page.getByText('warn at 5 %').waitFor();
      await page.getByLabel('Memory used').fill('101');
      expect(await page.getByLabel('Memory used').getAttribute('aria-invalid')).toBe('true');
      await page.getByLabel('Memory used').fill('5');
      await page.getByText('GPU 0 reached its limit of memory: 12.5 % ≥ 5 %.').waitFor();
      await page.locator('.sampled-mark').first().waitFor({ state: 'attached' });
      await page.getByLabel('Sampling rate').selectOption('10');
      await page.getByText('every 100 ms').waitFor();
      expect(await faults(page)).toEqual([]);
      await page.reload();
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.keyboard.press('9');
      await page.getByText('warn at 5 %').waitFor();
      await page.getByText('every 100 ms').waitFor();
      expect(await page.getByLabel('Memory used').inputValue()).toBe('5');
      expect(await page.getByRole('button', { name: /^GPU 0.*has reached a limit/s }).count()).toBe(1);
      expect(await page.getByText('has reached a limit').count()).toBe(1);
      await page.locator('.gpu-card').nth(1).click();
      expect(await page.getByLabel('Memory used').inputValue()).toBe('');
      await page.locator('.gpu-card').first().click();
      await page.getByRole('button', { name: 'Same for every GPU' }).click();
      await page.getByText('GPU 1: memory has reached 5 %.').waitFor();
      await page.getByRole('button', { name: 'No warnings' }).click();
      await page.getByText('GPU 0: memory has reached').waitFor({ state: 'detached' });
      expect(served.complaints).toEqual([]);
    },
  );

  it.skipIf(library === null)(
    'tells of processes that grow by more than the user set, and of a GPU that is lost',
    async () => {
      const machine = { nvml: library as string, fake: 'gpus=2 processes=1 swelling=3 lost=1 lasting=150' };
      const page = await openLive(machine);
      await page.locator('.gpu-card').nth(1).waitFor();
      await page.getByLabel('that grow by more than').fill('2');
      await page
        .getByText(/^fake-4000000 \(4000000\) grew by [\d.]+\sMiB on GPU 0\.$/)
        .first()
        .waitFor();
      await page.getByText('GPU 1 is lost: it does not answer any more.').waitFor();
      await page.getByText('lost', { exact: true }).waitFor();
      expect(served.complaints).toEqual([]);
    },
  );

  it.skipIf(library === null)('says how often samples really come from a slow driver', async () => {
    const page = await openLive({ nvml: library as string, fake: 'gpus=1 slow=nvmlDeviceGetTemperature:60' });
    await page.getByLabel('Sampling rate').selectOption('50');
    await page.getByText(/^\d+(\.\d)? of 50 Hz$/).waitFor();
  });

  it('says why a recording cannot be begun', async () => {
    const page = await openLive({ nvml: '/nowhere/libnvidia-ml.so.1' });
    const file = path.join(home, 'a file');
    writeFileSync(file, '');
    process.env['STRATA_RECORDINGS'] = path.join(file, 'recordings');
    await page.getByRole('button', { name: 'Training loop' }).click();
    await page.getByRole('button', { name: 'Start recording' }).click();
    const alert = page.locator('.recording-problem');
    await alert.getByText('cannot be made').waitFor();
    expect(await alert.textContent()).toContain('STRATA_RECORDINGS');
    process.env['STRATA_RECORDINGS'] = home;
    await page.getByRole('button', { name: 'Start recording' }).click();
    await alert.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Stop recording' }).waitFor();
  });

  it('shows the lanes as a table of the held picture, and copies it', async () => {
    const page = await openLive({ nvml: '/nowhere/libnvidia-ml.so.1' });
    await page.getByRole('button', { name: 'Training loop' }).click();
    await page.locator('.sampled-line.memory').waitFor({ state: 'attached' });
    await page.locator('h1').click();
    await page.keyboard.press('t');
    await page.getByRole('table', { name: 'Readings of GPU 0' }).waitFor();
    await page.getByText('held').waitFor();
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const [head, first] = (await page.evaluate(() => navigator.clipboard.readText())).split('\n');
    expect(head?.split('\t').slice(0, 4)).toEqual(['time_ns', 'clock', 'total_max_bytes', 'used_min_bytes']);
    expect(first?.split('\t')).toHaveLength(head?.split('\t').length as number);
    expect(await faults(page)).toEqual([]);
    await page.keyboard.press('t');
    await page.getByText('held').waitFor({ state: 'detached' });
    expect(served.complaints).toEqual([]);
  });

  it('opens a recording on Readings, says what it is, and has no use for views of blocks', async () => {
    const page = await openLive({ nvml: '/nowhere/libnvidia-ml.so.1' });
    const file = path.join(home, 'killed.strata');
    const recorder = startSampler({ scenario: 'eight-gpus', hz: 50 });
    await recorder.waitForGpus(5000);
    await recorder.startRecording(file, 1024 ** 3, false);
    while ((recorder.status().recording?.samples ?? 0) < 10) await page.waitForTimeout(50);
    const bytes = readFileSync(file); // as a kill would leave it
    await recorder.close();
    await dropFile(page, 'killed.strata', bytes);
    await page.getByRole('heading', { name: 'Recorded GPUs' }).waitFor();
    expect(await page.locator('h1').textContent()).toContain('simulated');
    await page.getByText('without a closing record').waitFor();
    const overview = page.locator('.sidebar').getByRole('button', { name: 'Overview' });
    expect(await overview.getAttribute('aria-disabled')).toBe('true');
    await overview.focus();
    await page.getByText('Overview needs blocks.').waitFor();
    for (const key of ['1', '2', '3', '7']) await page.keyboard.press(key);
    expect(await page.locator('main').getAttribute('data-view')).toBe('readings');
    await page.keyboard.press('t');
    await page.getByRole('table', { name: 'Readings of GPU 0' }).waitFor();
    await page.keyboard.press('w');
    await overview.blur();
    await page.getByText('Overview needs blocks.').waitFor({ state: 'detached' });
    expect(await faults(page)).toEqual([]);
    await page.locator('.sidebar').getByRole('button', { name: 'Start', exact: true }).click();
    await page.locator('.recent', { hasText: 'killed.strata' }).waitFor();
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
