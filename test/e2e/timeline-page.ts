import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import type { RunningServer } from '../../main/serve/server.ts';
import { sampleBytes } from './served-page.ts';

/** What the tests of the Timeline and the Map share: opening a capture, and finding places in the pictures. */

/** Opens a sample through the engine before the page is loaded, so that it is there at once. */
export async function openSample(server: RunningServer, name: string) {
  return server.engine.call('open', { source: { kind: 'sample', name } });
}

/** A sample whose file ends in the middle, opened like any other. */
export async function openCut(server: RunningServer, name: string, share: number) {
  const folder = mkdtempSync(path.join(tmpdir(), 'strata-cut-'));
  const whole = sampleBytes(name);
  const file = path.join(folder, `${name}-cut.pickle`);
  writeFileSync(file, whole.subarray(0, Math.round(whole.length * share)));
  const info = await server.engine.call('open', { source: { kind: 'path', path: file } });
  rmSync(folder, { recursive: true });
  return info;
}

/** Goes to a view by its key and waits for its complete picture. */
export async function showView(page: Page, view: 'timeline' | 'map'): Promise<Locator> {
  await page.keyboard.press(view === 'timeline' ? '2' : '3');
  await settled(page, view);
  return page.locator(`[data-chart="${view}"]`);
}

export async function settled(page: Page, view: 'timeline' | 'map'): Promise<void> {
  await page.locator(`[data-chart="${view}"][data-complete="true"]`).waitFor();
}

export interface PlotBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export async function boxOf(locator: Locator): Promise<PlotBox> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('it is not on screen');
  return box;
}

/** All the words in an element. */
export async function textOf(locator: Locator): Promise<string> {
  return (await locator.textContent()) ?? '';
}

/** The middle of the cursor line, in pixels of the page. */
export async function cursorX(page: Page): Promise<number> {
  const box = await boxOf(page.locator('[data-chart] .cursor-line').first());
  return box.x + box.width / 2;
}

/** The words on the cursor's label. */
export function cursorLabel(page: Page): Promise<string> {
  return textOf(page.locator('.cursor-label'));
}

/** The lines of the tooltip at a place of the page. */
export async function tooltipAt(page: Page, x: number, y: number): Promise<string[]> {
  await page.mouse.move(x, y);
  const lines = page.locator('.chart-tooltip > div');
  await lines.first().waitFor();
  return lines.allTextContents();
}

/** The lane of this name. */
export function lane(page: Page, name: string): Locator {
  return page.getByRole('region', { name, exact: true });
}

/** Pairs of labels that lie on top of each other, by their words. */
export function overlapsOf(page: Page, selector: string): Promise<string[]> {
  return page.evaluate((wanted) => {
    const boxes = [...document.querySelectorAll(wanted)]
      .map((element) => ({ text: element.textContent ?? '', box: element.getBoundingClientRect() }))
      .filter(({ text, box }) => text !== '' && box.width > 1 && box.height > 1);
    const touching = (one: DOMRect, other: DOMRect) =>
      one.left < other.right - 1 &&
      other.left < one.right - 1 &&
      one.top < other.bottom - 2 &&
      other.top < one.bottom - 2;
    return boxes.flatMap((one, at) =>
      boxes
        .slice(at + 1)
        .filter((other) => touching(one.box, other.box))
        .map((other) => `${one.text} / ${other.text}`),
    );
  }, selector);
}
