import { readFileSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { TraceInfo } from '../../app/contract/engine.ts';
import { formatBytes, plainSpaces } from '../../app/domain/format.ts';
import type { PageOptions } from './served-page.ts';
import { serving } from './serving.ts';
import {
  boxOf,
  cursorLabel,
  cursorX,
  lane,
  openCut,
  openSample,
  overlapsOf,
  settled,
  showView,
  textOf,
  tooltipAt,
} from './timeline-page.ts';

/** The Timeline over the real engine, by pointer and by keyboard. */

const app = serving();
let page: Page;
let info: TraceInfo;

/** `share` below 1 cuts the file off there. */
async function open(sample: string, options: PageOptions = {}, share = 1): Promise<void> {
  info = await (share < 1 ? openCut(app.server, sample, share) : openSample(app.server, sample));
  page = await app.open(options);
  await page
    .getByRole('button', { name: info.name })
    .first()
    .click()
    .catch(() => {});
  await showView(page, 'timeline');
}

const on = () => ({ trace: info.trace, device: 0 });
const peakBytes = () => info.devices[0]?.peakReserved ?? 0;

describe('zooming', () => {
  it('keeps the peak in the picture at every depth', async () => {
    await open('training-step');
    await page.getByRole('radio', { name: 'Total' }).click();
    await page.keyboard.press('p');
    const [peak] = formatBytes(peakBytes()).split('\u00a0');
    const total = await boxOf(lane(page, 'All regions'));
    for (let depth = 0; depth < 8; depth++) {
      await settled(page, 'timeline');
      const x = await cursorX(page);
      const around: string[] = [];
      for (const shift of [-1, 0, 1]) around.push(...(await tooltipAt(page, x + shift, total.y + 20)));
      expect(around.join(' '), `depth ${depth}`).toContain(peak);
      await page.mouse.wheel(0, -240);
      await page.waitForTimeout(50);
    }
  });

  it('by the wheel keeps what is under the pointer there, and out again shows the whole trace', async () => {
    await open('training-step');
    const box = await boxOf(page.locator('[data-chart="timeline"]'));
    await page.mouse.click(box.x + box.width * 0.3, box.y + 100);
    await expect.poll(() => cursorX(page)).toBeGreaterThan(box.x + 2);
    const before = await cursorX(page);
    await page.mouse.move(before, box.y + 100);
    const whole = await textOf(page.locator('.strip-gutter span'));
    await page.mouse.wheel(0, -300);
    await expect.poll(() => textOf(page.locator('.strip-gutter span'))).not.toBe(whole);
    await expect.poll(async () => Math.abs((await cursorX(page)) - before)).toBeLessThan(1.5);
    await page.keyboard.press('Control+0');
    await expect.poll(() => textOf(page.locator('.strip-gutter span'))).toBe(whole);
  });

  it('sideways with Shift, and never beyond the ends', async () => {
    await open('training-step');
    const box = await boxOf(page.locator('[data-chart="timeline"]'));
    await page.mouse.move(box.x + box.width / 2, box.y + 100);
    await page.mouse.wheel(0, -400);
    await page.keyboard.down('Shift');
    for (let turn = 0; turn < 12; turn++) await page.mouse.wheel(0, -800);
    await page.keyboard.up('Shift');
    await expect.poll(() => textOf(page.locator('.strip-gutter span'))).toMatch(/^0(\.0*)? –/);
  });
});

describe('live blocks', () => {
  it('are as high as the active bytes of the moment that each column shows', async () => {
    await open('out-of-memory');
    const window = { axis: 'event' as const, from: 0, to: info.devices[0]?.events ?? 0, columns: 200 };
    const live = await app.server.engine.call('liveBlocks', { ...on(), window, pixelRows: 200 });
    for (let column = 0; column < 200; column += 13) {
      const runs = live.bytes.subarray(live.firstRun[column], live.firstRun[column + 1]);
      const { total } = await app.server.engine.call('moment', { ...on(), event: live.moment[column] ?? -1 });
      expect(
        runs.reduce((sum, bytes) => sum + bytes, 0),
        `column ${column}`,
      ).toBe(total.active);
    }
  });

  it('rise in the picture to that height', async () => {
    await open('training-step');
    await page.keyboard.press('p');
    const x = await cursorX(page);
    const blocks = lane(page, 'Live blocks');
    const { total } = await app.server.engine.call('moment', {
      ...on(),
      event: info.devices[0]?.peakReservedEvent ?? -1,
    });
    const levels = await levelsOf(page);
    const height = await stackHeight(page, x - 3);
    const perPixel = (levels.second - levels.first) / (levels.firstY - levels.secondY);
    expect(Math.abs(height * perPixel - total.active) / total.active).toBeLessThan(0.04);
    await expect(blocks.isVisible()).resolves.toBe(true);
  });

  it('are selected by a click, with the cursor at a moment in which they live', async () => {
    await open('training-step');
    await page.keyboard.press('p');
    const event = info.devices[0]?.peakReservedEvent ?? 0;
    const target = await tallestBlock(event);
    const levels = await levelsOf(page);
    const perPixel = (levels.second - levels.first) / (levels.firstY - levels.secondY);
    await page.mouse.click(
      (await cursorX(page)) - 2,
      levels.firstY - (target.middle - levels.first) / perPixel,
    );
    const block = await app.server.engine.call('block', { ...on(), block: target.block });
    await page.getByText(block.address).first().waitFor();
    await showView(page, 'map');
    await page.getByRole('radio', { name: nameOf(block.region) }).click();
    await page.locator('.selected-outline').first().waitFor();
  });

  it('say whose they are under the pointer, and emphasise the call site', async () => {
    await open('training-step');
    const box = await boxOf(lane(page, 'Live blocks'));
    const plot = await boxOf(page.locator('[data-chart="timeline"]'));
    const text = await tooltipAt(page, plot.x + plot.width * 0.7, box.y + box.height - 6);
    expect(plainSpaces(text[0] ?? '')).toMatch(/^([\d,]+ blocks?, )?[\d.]+ (B|KiB|MiB|GiB)/);
  });
});

const nameOf = (region: string) => `${region.charAt(0).toUpperCase()}${region.slice(1)}`;

/** The block that is drawn tallest at a moment, and the bytes below its middle. */
async function tallestBlock(event: number) {
  const window = { axis: 'event' as const, from: event, to: event + 1, columns: 1 };
  const live = await app.server.engine.call('liveBlocks', { ...on(), window, pixelRows: 200 });
  let sum = 0;
  let best = { block: -1, bytes: 0, middle: 0 };
  live.bytes.forEach((bytes, run) => {
    const block = live.block[run] ?? 0;
    if (block !== 0xffffffff && bytes > best.bytes) best = { block, bytes, middle: sum + bytes / 2 };
    sum += bytes;
  });
  return best;
}

/** The two lowest labels of the live blocks' axis: bytes and places. */
async function levelsOf(where: Page) {
  const labels = await lane(where, 'Live blocks').locator('.level-label').all();
  const read = await Promise.all(
    labels.map(async (label) => ({ text: await textOf(label), box: await boxOf(label) })),
  );
  const units: Record<string, number> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
  const unit =
    units[read.map(({ text }) => text.split(' ')[1]).find((word) => word !== undefined) ?? ''] ?? 1;
  const levels = read.map(({ text, box }) => ({
    bytes: Number.parseFloat(text) * unit,
    y: box.y + box.height / 2,
  }));
  const [first, second] = levels.sort((one, other) => one.bytes - other.bytes);
  if (first === undefined || second === undefined) throw new Error('fewer than two labels');
  return { first: first.bytes, second: second.bytes, firstY: first.y, secondY: second.y };
}

/** Rows of the live blocks' canvas that are painted at a place, from its bottom up. */
function stackHeight(where: Page, x: number): Promise<number> {
  return where.evaluate((at) => {
    const canvas = document.querySelector<HTMLCanvasElement>('section[aria-label="Live blocks"] canvas');
    const surface = canvas?.getContext('2d');
    if (!canvas || !surface) throw new Error('no canvas');
    const box = canvas.getBoundingClientRect();
    const column = Math.round(((at - box.left) / box.width) * canvas.width);
    const { data } = surface.getImageData(column, 0, 1, canvas.height);
    let rows = 0;
    for (let row = canvas.height - 1; row >= 0 && data[row * 4 + 3] === 255; row--) rows++;
    return (rows / canvas.height) * box.height;
  }, x);
}

describe('the pointer', () => {
  it('brushes a range that snaps to events, and Escape gives it up', async () => {
    await open('training-step');
    const box = await boxOf(page.locator('[data-chart="timeline"]'));
    await page.mouse.move(box.x + 200, box.y + 120);
    await page.mouse.down();
    await page.mouse.move(box.x + 400, box.y + 140, { steps: 5 });
    await page.mouse.up();
    await page.locator('.brush').waitFor();
    await expect
      .poll(async () => Math.abs((await boxOf(page.locator('.brush'))).width - 200))
      .toBeLessThan(30);
    await page.keyboard.press('Escape');
    await page.locator('.brush').waitFor({ state: 'detached' });
  });

  it('sets the cursor where it clicks', async () => {
    await open('training-step');
    const box = await boxOf(page.locator('[data-chart="timeline"]'));
    await page.mouse.click(box.x + box.width * 0.5, box.y + 120);
    await expect
      .poll(async () => Math.abs((await cursorX(page)) - (box.x + box.width * 0.5)))
      .toBeLessThan(12);
  });

  it('moves the visible window on the strip', async () => {
    await open('training-step');
    const strip = await boxOf(page.locator('.strip-brush'));
    await page.mouse.move(strip.x + strip.width * 0.25, strip.y + 20);
    await page.mouse.down();
    await page.mouse.move(strip.x + strip.width * 0.5, strip.y + 20, { steps: 4 });
    await page.mouse.up();
    const share = async () => (await boxOf(page.locator('.strip-window'))).width / strip.width;
    await expect.poll(share).toBeCloseTo(1 / 4, 2);
    await page.getByRole('slider', { name: 'End of the visible window' }).focus();
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(share).toBeCloseTo(1 / 4 + 1 / 10, 2);
  });
});

describe('the keyboard', () => {
  it('moves the cursor and hears where it is', async () => {
    await open('training-step');
    await page.keyboard.press('Home');
    await expect.poll(() => cursorLabel(page)).toBe('before the first event');
    await page.keyboard.press(']');
    await page.keyboard.press(']');
    await expect.poll(() => cursorLabel(page)).not.toBe('before the first event');
    const plot = page.getByRole('group', { name: 'Memory over time' });
    await plot.focus();
    for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowDown');
    const status = page.locator('.timeline [role=status]');
    await expect.poll(() => textOf(status)).toMatch(/reserved .* free .* largest/);
  });

  it('folds a lane and changes the height of all', async () => {
    await open('training-step');
    const before = await boxOf(lane(page, 'Pooled'));
    await page.keyboard.press('Shift++');
    await expect
      .poll(async () => (await boxOf(lane(page, 'Pooled'))).height)
      .toBeGreaterThan(before.height * 1.1);
    await page.getByRole('button', { name: 'Pooled', exact: true }).click();
    await expect.poll(async () => (await boxOf(lane(page, 'Pooled'))).height).toBe(28);
  });
});

describe('the table', () => {
  it('holds every event of the window, sorts, and exports what it shows', async () => {
    await open('training-step');
    await page.keyboard.press('t');
    await page.getByRole('table', { name: 'Samples of the visible window' }).waitFor();
    const count = info.devices[0]?.events ?? 0;
    await page
      .getByText(`${count.toLocaleString('en')} rows.`)
      .first()
      .waitFor();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const lines = readFileSync((await (await saving).path()) ?? '', 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines).toHaveLength(count + 1);
    const names = (lines[0] ?? '').split(',');
    const column = names.indexOf('pooled_reserved_bytes');
    const most = Math.max(...lines.slice(1).map((line) => Number(line.split(',')[column])));
    const report = await app.server.engine.call('report', { trace: info.trace });
    expect(most).toBe(report.devices[0]?.regions.pooled.peak.reserved.bytes);
    const header = page.getByRole('columnheader', { name: /Pooled: reserved/ });
    await header.getByRole('button').click();
    await expect.poll(() => header.getAttribute('aria-sort')).toBe('descending');
  });
});

describe('a capture that is cut off', () => {
  it('shows bounds, what was not read, and the end that it stores', async () => {
    await open('training-step', {}, 0.6);
    await lane(page, 'Reserved').waitFor();
    const report = await app.server.engine.call('report', { trace: info.trace });
    const end = report.devices[0]?.stored_end ?? expect.fail('no end is stored');
    await page.locator('.unread').getByText('length unknown').waitFor();
    expect(await lane(page, 'Reserved').locator('.end-column').textContent()).toBe(formatBytes(end.reserved));
    const plot = await boxOf(page.locator('[data-chart="timeline"]'));
    const reserved = await boxOf(lane(page, 'Reserved'));
    const [first] = await tooltipAt(page, plot.x + plot.width / 2, reserved.y + 40);
    expect(first).toMatch(/ to .* reserved/);
    await page.locator('.strip-unread').waitFor();
  });
});

describe('for everybody', () => {
  it.each([
    ['light', 'en-GB', 1440, 900],
    ['dark', 'en-GB', 1024, 700],
    ['light', 'zh-CN', 1024, 700],
  ] as const)(
    'nothing overlaps, overflows or is inaccessible: %s %s %i × %i',
    async (scheme, locale, width, height) => {
      await open('training-step', { colorScheme: scheme, locale, width, height });
      for (const labels of [
        '.lane-name, .level-label',
        '.axis-label, .cursor-label',
        '.band-label, .band-label-beside',
      ]) {
        expect(await overlapsOf(page, labels), labels).toEqual([]);
      }
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
      const picture = await new AxeBuilder({ page }).include('main').include('.strip').analyze();
      expect(picture.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual(
        [],
      );
      await page.keyboard.press('t');
      await page.locator('.data-table-line').first().waitFor();
      const table = await new AxeBuilder({ page }).include('main').include('.strip').analyze();
      expect(table.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);
    },
  );
});
