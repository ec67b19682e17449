import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../app/contract/simulation.ts';
import { formatBytes, formatCount, plainSpaces } from '../../app/domain/format.ts';
import { roomOf } from '../../app/domain/runs.ts';
import type { PageOptions } from './served-page.ts';
import { serving } from './serving.ts';
import { openSample, showView } from './timeline-page.ts';

/** What-if on the samples that ship: what is on screen is what the engine simulated. */

const app = serving();
let page: Page;

/** Opens a sample, goes to What-if, and returns what the engine answers to the same question. */
async function whatIf(name: string, view: PageOptions = {}) {
  const { trace } = await openSample(app.server, name);
  page = await app.open(view);
  await page.keyboard.press('7');
  await page.locator('.run-panel').first().waitFor();
  const common = { trace, device: 0, capacity: null, costModel: null, columns: 1 };
  return { common, ...(await app.server.engine.call('sweep', { ...common, runs: null })) };
}

const size = (bytes: number) => plainSpaces(formatBytes(bytes));
const textOf = async (selector: string) =>
  plainSpaces((await page.locator(selector).first().innerText()).replaceAll(/\s+/g, ' '));
const sentence = () => textOf('.view-header p');
const survivorsOf = (runs: readonly RunSummary[]) => runs.filter((run) => run.failureCount === 0);

describe('What-if', () => {
  it('says which settings would have survived an out of memory, and with how much room', async () => {
    const { recording, runs } = await whatIf('out-of-memory');
    expect(recording.failureCount).toBeGreaterThan(0);
    expect(survivorsOf(runs).length).toBeGreaterThan(0);
    const said = await sentence();
    expect(said).toMatch(
      /^The recording ran out of memory\. With .+ it would have survived, with .+ to spare/,
    );
    const named = survivorsOf(runs).find((run) => said.includes(size(roomOf(run) ?? -1)));
    expect(named?.allocator).toBe('pytorch');
    const failed = runs.filter((run) => run.failureCount > 0);
    expect(await page.locator('.run-failed').count()).toBe(failed.length);
  });

  it('begins with the replay of the recorded settings, which reproduces the recording', async () => {
    const { runs } = await whatIf('training-step');
    const replay = runs.find((run) => run.reproduces !== null) ?? expect.fail('no replay');
    expect(replay.reproduces?.matched).toBe(replay.reproduces?.placements);
    const first = await textOf('.run-table tbody tr');
    expect(first).toContain('reproduces the recording');
    expect(first).toContain(size(replay.peakReserved));
    expect(first).toContain('same');
    expect(await page.locator('.run-panel').count()).toBe(runs.length);
    await page
      .getByText(`all ${formatCount(replay.reproduces?.placements ?? 0)} recorded addresses`)
      .waitFor();
  });

  it('is walked by arrow keys, and Enter opens a run as a simulated trace where every view works', async () => {
    await whatIf('training-step');
    await page.locator('.run-button').first().focus();
    await page.keyboard.press('ArrowDown');
    const second = await page.locator('.run-button .run-name').nth(1).innerText();
    await expect.poll(() => textOf('.run-title')).toBe(second);
    await page.keyboard.press('Enter');
    await page.locator('.tab[data-active] .tab-note').waitFor();
    expect(await textOf('.tab[data-active]')).toContain('simulated');
    await page.locator('.fact').first().waitFor();
    await showView(page, 'timeline');
    await showView(page, 'map');
    await page.getByRole('heading', { name: 'Why here?' }).waitFor();
  });

  it('shows what a changed knob would do beside the old result, until it is run again', async () => {
    const { common } = await whatIf('training-step');
    const run = { allocator: 'pytorch', settings: { max_split_size_mb: '32' } };
    const { summary } = await app.server.engine.call('simulate', { ...common, run, keep: false });
    await page.locator('.run-button').first().click();
    await page.locator('.knob', { hasText: 'max_split_size_mb' }).locator('input').fill('32');
    const words = page.getByText(/^With the changes/);
    await words.waitFor();
    expect(plainSpaces(await words.innerText())).toContain(size(summary.peakReserved));
    await page.getByRole('button', { name: 'Run again' }).click();
    await words.waitFor({ state: 'detached' });
    await expect.poll(() => textOf('tr[data-selected]')).toContain(size(summary.peakReserved));
  });

  it('says what is wrong with a knob, and what the engine refuses', async () => {
    await whatIf('training-step');
    await page.locator('.run-button').first().click();
    const knob = page.locator('.knob', { hasText: 'max_split_size_mb' }).locator('input');
    await knob.fill('many');
    await page.getByText('Write a whole number.').waitFor();
    await knob.fill('');
    await page.locator('.knob', { hasText: 'roundup_power2_divisions' }).locator('input').fill('[x]');
    await page.locator('.run-inspector .query-error').waitFor();
  });

  it('runs everything again on a device of another size', async () => {
    await whatIf('out-of-memory');
    await page.getByRole('combobox', { name: 'Device memory' }).selectOption('Unlimited');
    await page.getByText(/On a device without a limit .+ would need/).waitFor();
    await expect.poll(() => page.locator('tr:has([data-run]) .run-failed').count()).toBe(0);
    await page.getByRole('combobox', { name: 'Device memory' }).selectOption('A size');
    await page.getByRole('textbox', { name: 'Size of the device' }).fill('1 MiB');
    await page.keyboard.press('Enter');
    await page.locator('tr:has([data-run]) .run-failed').first().waitFor();
  });

  it('estimates the cost anew when a call is said to cost something else', async () => {
    await whatIf('training-step');
    const before = await textOf('.run-cost');
    await page.getByRole('textbox', { name: 'Allocate, in microseconds' }).fill('100000');
    await expect.poll(() => textOf('.run-cost')).not.toBe(before);
    await expect.poll(() => textOf('.run-cost')).toMatch(/^≈ /);
  });

  it('is a table that can be sorted and saved', async () => {
    const { runs } = await whatIf('training-step');
    await page.keyboard.press('t');
    await page
      .getByText(`${formatCount(runs.length)} rows.`)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Save as CSV' }).waitFor();
  });

  it('fits a small window', async () => {
    await whatIf('out-of-memory', { width: 720, height: 450 });
    const overflow = await page.evaluate(() => {
      const view = document.querySelector('.page') ?? document.body;
      return view.scrollWidth - view.clientWidth;
    });
    expect(overflow).toBeLessThanOrEqual(1);
  });
});
