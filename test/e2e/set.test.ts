import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { madeRunRecording, snapshotBytes } from '../fixtures/made-run.ts';
import { dropFiles, type PageOptions, sampleBytes } from './served-page.ts';
import { serving } from './serving.ts';
import { boxOf, lane, settled, showView, tooltipAt } from './timeline-page.ts';

/** Several files as one trace, in the window: ranks that are dropped together, and a driver beside an allocator. */

const GIB = 1024 ** 3;
const home = mkdtempSync(path.join(tmpdir(), 'strata-set-'));
const app = serving();

afterAll(() => rmSync(home, { recursive: true, force: true }));

const faults = async (page: Page) =>
  (await new AxeBuilder({ page }).analyze()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
const tabs = (page: Page) => page.locator('.tab');
const ranks = () => ({
  'rank0.pickle': sampleBytes('training-step'),
  'rank1.pickle': sampleBytes('expandable-segments'),
});

describe('two ranks dropped together', () => {
  it('open as one trace, with a lane for each device, and separately when asked to', async () => {
    const page = await app.open();
    await dropFiles(page, ranks());
    await page.getByRole('heading', { level: 1, name: 'rank0.pickle + rank1.pickle' }).waitFor();
    expect(await tabs(page).count()).toBe(1);
    await page.getByRole('region', { name: 'Files of this set' }).waitFor();
    await page.getByText('2 files are open as one trace').waitFor();
    expect(await faults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Device: rank 1 · GPU 0' }).waitFor();
    await showView(page, 'timeline');
    await lane(page, 'rank 0 · GPU 0').waitFor();
    expect(await faults(page)).toEqual([]);
    await lane(page, 'rank 0 · GPU 0').getByRole('button', { name: 'Show device' }).click();
    await page.getByRole('button', { name: 'Device: rank 0 · GPU 0' }).waitFor();
    await lane(page, 'rank 1 · GPU 0').waitFor();
    await page.keyboard.press('x');
    await page.getByText('each device counts its own events').waitFor();
    await page.getByRole('button', { name: 'Open separately' }).click();
    await expect.poll(() => tabs(page).allTextContents()).toEqual(['rank0.pickle', 'rank1.pickle']);
  });

  it('say which file could not be opened, and show the other', async () => {
    const page = await app.open();
    await dropFiles(page, { ...ranks(), 'rank1.pickle': Buffer.from('no capture at all') });
    await page.getByText('1 of 2 files are open. rank1.pickle could not be opened').waitFor();
    await page.getByRole('cell', { name: 'not opened' }).waitFor();
    expect(await faults(page)).toEqual([]);
  });

  it('of different names open each on its own, with a way to have them as one', async () => {
    const page = await app.open();
    await dropFiles(page, {
      'run.pickle': sampleBytes('training-step'),
      'other.pickle': sampleBytes('out-of-memory'),
    });
    await page.getByText('2 files were opened, each on its own').waitFor();
    expect(await tabs(page).count()).toBe(2);
    expect(await faults(page)).toEqual([]);
    await page.getByRole('status').getByRole('button', { name: 'Open traces together' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Open together' }).click();
    await page.getByRole('region', { name: 'Files of this set' }).waitFor();
    expect(await tabs(page).count()).toBe(3);
  });

  it('are put together again from open traces, and found among the recent ones', async () => {
    const page = await app.open();
    const files = Object.entries(ranks()).map(([name, bytes]) => {
      const file = path.join(home, name);
      writeFileSync(file, bytes);
      return { kind: 'path', path: file } as const;
    });
    for (const source of files) await app.server.engine.call('open', { source });
    await page.reload();
    await expect.poll(() => tabs(page).count()).toBe(2);
    await page.keyboard.press('j');
    await page.getByRole('dialog', { name: 'Open together' }).waitFor();
    expect(await faults(page)).toEqual([]);
    await page.getByRole('checkbox').first().uncheck();
    await page.getByRole('button', { name: 'Open together' }).click();
    await page.getByText('Choose two traces or more.').waitFor();
    await page.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: 'Open together' }).click();
    await page.getByRole('heading', { level: 1, name: 'rank0.pickle + rank1.pickle' }).waitFor();
    expect(await tabs(page).count()).toBe(3);
    // it is among the recent ones once it was looked at
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const recent = page.getByRole('main').getByRole('button', { name: /rank0\.pickle \+ rank1\.pickle/ });
    await recent.waitFor();
    await page.getByRole('button', { name: 'Close rank0.pickle + rank1.pickle' }).click();
    await expect.poll(() => tabs(page).count()).toBe(2);
    await recent.click();
    await page.getByRole('heading', { level: 1, name: 'rank0.pickle + rank1.pickle' }).waitFor();
  });
});

describe('a recording of GPUs beside a snapshot', () => {
  async function openRun(beyond: number, options: PageOptions = {}): Promise<Page> {
    const alone = await app.server.engine.call('open', { source: { kind: 'sample', name: 'training-step' } });
    const window = { axis: 'time', from: 0, to: alone.durationNs, columns: 400 } as const;
    const { total } = await app.server.engine.call('series', { trace: alone.trace, device: 0, window });
    const reservedAt = (time: number) => {
      const column = Math.floor((time / alone.durationNs) * 400);
      return total.reserved.last[column] ?? null;
    };
    const files = {
      'run.pickle.gz': snapshotBytes(),
      'gpus.strata-gpus': madeRunRecording({ around: 60, period: 5, reservedAt, beyond }),
    };
    const sources = Object.entries(files).map(([name, bytes]) => {
      writeFileSync(path.join(home, name), bytes);
      return { kind: 'path', path: path.join(home, name) } as const;
    });
    await app.server.engine.call('close', { trace: alone.trace });
    await app.server.engine.call('open', { source: { kind: 'set', files: sources } });
    return app.open(options);
  }

  it('shows the driver and what it counts beyond the allocator, on one axis', async () => {
    const page = await openRun(0.8 * GIB);
    await showView(page, 'timeline');
    const difference = lane(page, 'Driver − allocator');
    await difference.scrollIntoViewIfNeeded();
    await lane(page, 'Driver').waitFor();
    expect(await faults(page)).toEqual([]);
    const box = await boxOf(difference);
    const [value, where, what] = await tooltipAt(
      page,
      box.x + 140 + (box.width - 160) * 0.4,
      box.y + box.height / 2,
    );
    expect(value).toMatch(/ beyond the allocator$/);
    expect(where).toContain('ms');
    expect(what).toContain('Used on the whole GPU, less what this allocator had reserved at each sample');
    const [outside] = await tooltipAt(page, box.x + 145, box.y + box.height / 2);
    expect(outside).toContain('Not known here');
    const figure = page.getByRole('combobox', { name: 'Compare with' });
    await figure.selectOption({ label: 'python3 (4242) on GPU 0' });
    await settled(page, 'timeline');
    await figure.selectOption({ label: 'None' });
    await difference.waitFor({ state: 'detached' });
    await figure.selectOption({ label: 'GPU 0, whole GPU' });
    await difference.waitFor();
    await page.keyboard.press('t');
    await page.getByRole('radio', { name: 'Driver' }).click();
    await page.getByRole('columnheader', { name: 'Driver − allocator', exact: true }).waitFor();
    expect(await faults(page)).toEqual([]);
  });

  it('shows differences below zero and says what they mean, in Chinese and dark', async () => {
    const page = await openRun(-2 * GIB, { colorScheme: 'dark', locale: 'zh-CN' });
    await showView(page, 'timeline');
    const difference = lane(page, '驱动 − 分配器');
    await difference.scrollIntoViewIfNeeded();
    await difference.getByText('低于零').waitFor();
    expect(await faults(page)).toEqual([]);
  });
});
