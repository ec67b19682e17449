import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatBytes, formatCount, plainSpaces } from '../../app/domain/format.ts';
import type { RunningServer } from '../../main/serve/server.ts';
import { launchChromium } from './chromium.ts';
import { dropFile, openServed, type ServedPage, sampleBytes, serveForTest } from './served-page.ts';

/** From Start to the facts of a capture, by pointer and by keyboard, over the real engine. */

let browser: Browser;
let server: RunningServer;
let served: ServedPage;
let page: Page;

beforeAll(async () => {
  browser = await launchChromium();
});
beforeEach(async () => {
  server = await serveForTest();
  served = await openServed(browser, server);
  page = served.page;
});
afterEach(async () => {
  await served.close();
  await server.close();
});
afterAll(() => browser.close());

async function openSample(): Promise<void> {
  await page.getByRole('button', { name: 'A first training step' }).click();
  await page.getByRole('heading', { level: 1, name: 'training-step' }).waitFor();
}

/** What the engine itself says about the trace on screen. */
async function report() {
  const [info] = await server.engine.call('list', {});
  if (info === undefined) return expect.fail('no trace is open');
  return { info, report: await server.engine.call('report', { trace: info.trace }) };
}

/** The event in the inspector's line "After event 1,234 of 5,678, alloc". */
async function cursorEvent(): Promise<number> {
  const line = await page.getByText(/^(After event [\d,]+ of|The state before the first)/).textContent();
  const number = /^After event ([\d,]+)/.exec(line ?? '')?.[1];
  return number === undefined ? -1 : Number(number.replaceAll(',', ''));
}

describe('a sample', () => {
  it('opens from Start on the Overview with the facts of its report', async () => {
    await openSample();
    const { report: facts } = await report();
    const device = facts.devices[0] ?? expect.fail();
    await page.getByText('Peak reserved').waitFor();
    const text = (await page.getByRole('main').innerText()).replace(/\s+/g, ' ');
    expect(text).toContain(`Peak reserved ${plainSpaces(formatBytes(device.peak.reserved.bytes))}`);
    expect(text).toContain(
      `${formatCount(device.exact.placements_matched)} of ${formatCount(device.exact.placements)} placements`,
    );
    expect(text).toContain(`${formatCount(device.exact.final_blocks)} of`);
    expect(served.complaints).toEqual([]);
  });

  it('is found again after a reload, and among the recent ones after it was closed', async () => {
    await openSample();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'training-step' }).waitFor();
    await page.getByRole('button', { name: 'Timeline', exact: true }).click();
    await page.getByRole('button', { name: /^Close training-step/ }).click();
    await page.getByRole('button', { name: /^training-step.*peak/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Timeline' }).waitFor();
    expect(served.complaints).toEqual([]);
  });
});

describe('a file', () => {
  it('opens when it is dropped on the window', async () => {
    await dropFile(page, 'mine.pickle', sampleBytes('training-step'));
    await page.getByRole('heading', { level: 1, name: 'mine' }).waitFor();
    expect((await report()).info.source.kind).toBe('upload');
    expect(served.complaints).toEqual([]);
  });

  it('opens from the file chooser with Ctrl O', async () => {
    const chooser = page.waitForEvent('filechooser');
    await page.keyboard.press('Control+o');
    const buffer = sampleBytes('training-step');
    await (await chooser).setFiles({ name: 'chosen.pickle', mimeType: 'application/octet-stream', buffer });
    await page.getByRole('heading', { level: 1, name: 'chosen' }).waitFor();
  });

  it('that is cut off says so above every view, and what is missing', async () => {
    const whole = sampleBytes('training-step');
    await dropFile(page, 'cut.pickle', whole.subarray(0, Math.floor(whole.length * 0.7)));
    const banner = page.getByRole('status').filter({ hasText: /Read [\d,]+ events/ });
    await banner.waitFor();
    await page.keyboard.press('2');
    await page.getByRole('heading', { level: 1, name: 'Timeline' }).waitFor();
    await banner.waitFor();
    await page.getByRole('button', { name: 'What is missing' }).click();
    const dialog = page.getByRole('dialog', { name: 'What is missing' });
    await dialog.getByText('capture-truncated').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Copy the report' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      /warning {3}capture-truncated at byte \d+/,
    );
  });

  it('that wants to run something is refused with code, position and remedy', async () => {
    await dropFile(page, 'evil.pickle', Buffer.from("\x80\x02cos\nsystem\n(S'true'\ntR.", 'latin1'));
    const alert = page.getByRole('alert').filter({ hasText: 'evil.pickle could not be opened' });
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(/pickle-forbidden-opcode · at byte \d+/);
    await alert.getByRole('button', { name: 'Copy details' }).click();
    await alert.getByRole('button', { name: 'Copied' }).waitFor();
    await alert.getByRole('button', { name: 'Dismiss' }).click();
    await alert.waitFor({ state: 'detached' });
  });
});

describe('the keyboard alone', () => {
  it('opens a sample, walks the views, moves the cursor and comes back', async () => {
    const sample = page.getByRole('button', { name: 'A first training step' });
    for (
      let presses = 0;
      presses < 30 && !(await sample.evaluate((one) => one === document.activeElement));
      presses++
    ) {
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'training-step' }).waitFor();
    await page.keyboard.press('2');
    await page.getByRole('heading', { level: 1, name: 'Timeline' }).waitFor();
    const { info } = await report();
    const peak = info.devices[0]?.peakReservedEvent ?? -1;
    const last = (info.devices[0]?.events ?? 0) - 1;
    await expect.poll(cursorEvent).toBe(peak);
    await page.keyboard.press('[');
    await expect.poll(cursorEvent).toBe(peak - 1);
    await page.keyboard.press('Home');
    await expect.poll(cursorEvent).toBe(-1);
    await page.keyboard.press('ArrowRight');
    await expect.poll(cursorEvent).toBeGreaterThan(-1);
    await page.keyboard.press('End');
    await expect.poll(cursorEvent).toBe(last);
    await page.keyboard.press('p');
    await expect.poll(cursorEvent).toBe(peak);
    await page.keyboard.press('g');
    await page.locator('[role="dialog"] input:focus').waitFor();
    await page.keyboard.type('100');
    await page.keyboard.press('Enter');
    await expect.poll(cursorEvent).toBe(100);
    await page.keyboard.press('3');
    await page.getByRole('heading', { level: 1, name: 'Map' }).waitFor();
    expect(await cursorEvent()).toBe(100);
    expect(served.complaints).toEqual([]);
  });

  it('lists every command in the help, which gives the focus back', async () => {
    await openSample();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await dialog.getByText('Cursor to the peak').waitFor();
    await page.keyboard.press('2');
    // The page behind a dialog is hidden from roles.
    expect(await page.locator('h1').textContent()).toBe('training-step');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('does not act on single keys while a field is typed in', async () => {
    await openSample();
    await page.keyboard.press('g');
    await page.locator('[role="dialog"] input:focus').waitFor();
    await page.keyboard.type('2');
    expect(await page.getByRole('textbox').inputValue()).toBe('2');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('training-step');
  });

  it('shows and hides the inspector', async () => {
    await openSample();
    await page.keyboard.press('2');
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.waitFor();
    await page.keyboard.press('i');
    await inspector.waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 1024, height: 700 });
    await page.keyboard.press('i');
    await inspector.waitFor();
    await page.keyboard.press('Escape');
    await inspector.waitFor({ state: 'detached' });
  });
});

describe('the inspector', () => {
  it('shows the numbers of the cursor exactly as the engine gives them', async () => {
    await openSample();
    await page.keyboard.press('2');
    const { info } = await report();
    const event = info.devices[0]?.peakReservedEvent ?? -1;
    const moment = await server.engine.call('moment', { trace: info.trace, device: 0, event });
    const copy = page.getByRole('button', { name: 'Copy the exact numbers' });
    await copy.click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const plain = copied.replaceAll('\u00a0', ' ');
    expect(plain).toContain(`Reserved\t${moment.total.reserved.toLocaleString('en')} B`);
    expect(plain).toContain(`Stranded holes\t${moment.total.stranded.toLocaleString('en')} B`);
  });

  it('selects a call site for every view', async () => {
    await openSample();
    await page.keyboard.press('2');
    const site = page
      .getByRole('complementary', { name: 'Inspector' })
      .locator('button[aria-pressed]')
      .first();
    await site.click();
    expect(await site.getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press('3');
    await page.getByRole('heading', { level: 1, name: 'Map' }).waitFor();
    expect(await site.getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press('Escape');
    await expect.poll(() => site.getAttribute('aria-pressed')).toBe('false');
  });
});

describe('the settings', () => {
  it('change the language at once and keep it', async () => {
    await page.keyboard.press('Control+,');
    await page.getByRole('combobox', { name: 'Language' }).selectOption('简体中文');
    await page.getByRole('heading', { level: 1, name: '设置' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: '内存去哪儿了？' }).waitFor();
  });

  it('change the theme at once, and follow the system by default', async () => {
    const theme = () => page.locator('html').getAttribute('data-theme');
    expect(await theme()).toBe('light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(theme).toBe('dark');
    await page.keyboard.press('Control+,');
    for (const [name, value] of [
      ['Light', 'light'],
      ['Contrast', 'contrast'],
      ['Dark', 'dark'],
    ] as const) {
      await page.getByRole('radio', { name }).click();
      await expect.poll(theme).toBe(value);
    }
    await page.getByRole('button', { name: 'Reset all' }).click();
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(theme).toBe('light');
  });
});

describe('the connection', () => {
  it('that is lost is said, and what was shown stays', async () => {
    await openSample();
    await server.close();
    await page.getByRole('alert').filter({ hasText: 'There is no connection to the server' }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('training-step');
  });
});

describe('the address', () => {
  it('loses its token as soon as the page has it', async () => {
    expect(await page.evaluate(() => location.hash)).toBe('');
  });
});
