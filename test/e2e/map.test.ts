import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { StateResult, TraceInfo } from '../../app/contract/engine.ts';
import { formatBytes } from '../../app/domain/format.ts';
import type { PageOptions } from './served-page.ts';
import { serving } from './serving.ts';
import { boxOf, cursorLabel, openSample, overlapsOf, settled, showView, textOf } from './timeline-page.ts';

/** The Map over the real engine, by pointer and by keyboard. */

const app = serving();
let page: Page;
let info: TraceInfo;

async function open(sample: string, options: PageOptions = {}): Promise<void> {
  info = await openSample(app.server, sample);
  page = await app.open(options);
  await page
    .getByRole('button', { name: info.name })
    .first()
    .click()
    .catch(() => {});
  await showView(page, 'map');
}

const on = () => ({ trace: info.trace, device: 0 });

describe('the map', () => {
  it('shares the cursor with the Timeline', async () => {
    await open('training-step');
    const atPeak = await cursorLabel(page);
    await showView(page, 'timeline');
    await expect.poll(() => cursorLabel(page)).toBe(atPeak);
    const plot = await boxOf(page.locator('[data-chart="timeline"]'));
    await page.mouse.click(plot.x + plot.width * 0.4, plot.y + 120);
    await expect.poll(() => cursorLabel(page)).not.toBe(atPeak);
    const moved = await cursorLabel(page);
    await showView(page, 'map');
    await expect.poll(() => cursorLabel(page)).toBe(moved);
  });

  it('selects the block under the pointer at its time, and outlines its life', async () => {
    await open('training-step');
    const event = info.devices[0]?.peakReservedEvent ?? 0;
    await page.keyboard.press('p');
    await settled(page, 'map');
    const state = await app.server.engine.call('state', { ...on(), event });
    const ranges = await app.server.engine.call('ranges', { ...on(), region: 'pooled' });
    const largest = largestBlock(state, ranges);
    const plot = await boxOf(page.locator('[data-chart="map"]'));
    // in the strip, whose time is the cursor's
    await page.mouse.click(plot.x + plot.width - 20, plot.y + largest.share * plot.height);
    await page.locator('.selected-outline').first().waitFor();
    await page.getByText(largest.address).first().waitFor();
  });

  it('walks the blocks by address', async () => {
    await open('training-step');
    await page.keyboard.press('p');
    await page.keyboard.press('ArrowDown');
    const status = page.locator('.map [role=status]');
    await expect.poll(() => textOf(status)).toMatch(/block of .* at 0x/);
    const first = await textOf(status);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => textOf(status)).not.toBe(first);
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => textOf(status)).toBe(first);
  });

  it('zooms addresses with Ctrl and the wheel, both ways with a box, and back', async () => {
    await open('training-step');
    const plot = await boxOf(page.locator('[data-chart="map"]'));
    const cell = () => textOf(page.locator('.legend-cell'));
    const whole = await cell();
    await page.mouse.move(plot.x + 300, plot.y + 200);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -400);
    await page.keyboard.up('Control');
    await expect.poll(cell).not.toBe(whole);
    await page.getByRole('button', { name: 'All addresses' }).click();
    await expect.poll(cell).toBe(whole);
    await page.mouse.move(plot.x + 100, plot.y + 100);
    await page.mouse.down();
    await page.mouse.move(plot.x + 300, plot.y + 260, { steps: 4 });
    await page.mouse.up();
    await expect.poll(cell).not.toBe(whole);
    const strip = await boxOf(page.locator('.strip-brush'));
    await expect
      .poll(async () => (await boxOf(page.locator('.strip-window'))).width)
      .toBeLessThan(strip.width * 0.6);
  });

  it('says what is free, and in how large a piece', async () => {
    await open('training-step');
    await page.keyboard.press('p');
    const { regions } = await app.server.engine.call('moment', {
      ...on(),
      event: info.devices[0]?.peakReservedEvent ?? 0,
    });
    const sentence = page.locator('.view-header p');
    await expect.poll(() => textOf(sentence)).toContain(formatBytes(regions.pooled.free));
    await expect.poll(() => textOf(sentence)).toContain(formatBytes(regions.pooled.largestFree));
  });

  it('names a cell in words, and offers no region without segments', async () => {
    await open('training-step');
    const plot = await boxOf(page.locator('[data-chart="map"]'));
    await page.mouse.move(plot.x + 200, plot.y + plot.height / 2);
    await expect.poll(() => textOf(page.locator('.chart-tooltip'))).toMatch(/of addresses/);
    for (const region of ['Immediate', 'Pooled', 'Virtual']) {
      const used = info.devices[0]?.regions.includes(region.toLowerCase() as 'pooled');
      expect(await page.getByRole('radio', { name: region }).isDisabled()).toBe(!used);
    }
  });

  it('lists the segments at the cursor as a table', async () => {
    await open('training-step');
    await page.keyboard.press('p');
    await page.keyboard.press('t');
    const event = info.devices[0]?.peakReservedEvent ?? 0;
    const { regions } = await app.server.engine.call('moment', { ...on(), event });
    await page
      .getByText(`${regions.pooled.segments.toLocaleString('en')} rows.`)
      .first()
      .waitFor();
    await page.locator('.data-table-line').first().click();
    await page.locator('.data-table-line[data-selected]').waitFor();
  });

  it.each([
    ['light', 'en-GB', 1440, 900],
    ['dark', 'zh-CN', 1024, 700],
  ] as const)('is accessible and nothing overlaps: %s %s %i × %i', async (scheme, locale, width, height) => {
    await open('training-step', { colorScheme: scheme, locale, width, height });
    await page.getByRole('radio', { name: /Owner|归属/ }).click();
    for (const labels of [
      '.address-tick, .address-name',
      '.axis-label, .cursor-label',
      '.map-legend > span',
    ]) {
      expect(await overlapsOf(page, labels), labels).toEqual([]);
    }
    const picture = await new AxeBuilder({ page }).include('main').include('.strip').analyze();
    expect(picture.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);
  });
});

/** The largest block of the pooled region: its address, and where its middle lies on the folded axis. */
function largestBlock(
  all: StateResult,
  ranges: readonly { readonly address: string; readonly bytes: number; readonly offset: number }[],
) {
  const last = ranges.at(-1);
  const length = (last?.offset ?? 0) + (last?.bytes ?? 0);
  let best = { bytes: 0, address: '', share: 0 };
  for (let segment = 0; segment < all.segmentAddress.length; segment++) {
    const base = all.segmentAddress[segment] as bigint;
    const range = ranges.findLast((one) => BigInt(one.address) <= base);
    if (all.segmentRegion[segment] !== 1 || range === undefined) continue;
    const start = range.offset + Number(base - BigInt(range.address));
    for (
      let block = all.segmentFirstBlock[segment] ?? 0;
      block < (all.segmentFirstBlock[segment + 1] ?? 0);
      block++
    ) {
      const bytes = all.blockBytes[block] ?? 0;
      const offset = all.blockOffset[block] ?? 0;
      if (bytes <= best.bytes) continue;
      best = {
        bytes,
        address: `0x${(base + BigInt(offset)).toString(16)}`,
        share: (start + offset + bytes / 2) / length,
      };
    }
  }
  return best;
}
