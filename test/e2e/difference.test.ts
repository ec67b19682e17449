import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { differenceOf } from '../../app/domain/difference.ts';
import { formatByteDifference, formatBytes, plainSpaces } from '../../app/domain/format.ts';
import { memoryProfile } from '../main/cli/profiles.ts';
import { serving } from './serving.ts';

/** Difference to another trace: what the dialog shows is what the two captures hold. */

const folder = mkdtempSync(path.join(tmpdir(), 'strata-difference-'));
const app = serving();
let page: Page;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function openProfile(name: string, grown: number): Promise<string> {
  const file = path.join(folder, name);
  const samples = [
    { stack: ['init', 'main'], bytes: 4 * 1024 ** 2, buffers: 2 },
    { stack: ['step', 'main'], bytes: 1024 ** 2 + grown, buffers: 1 },
    ...(grown > 0 ? [{ stack: ['cache', 'main'], bytes: 5000, buffers: 5 }] : []),
  ];
  writeFileSync(file, memoryProfile(samples));
  const { trace } = await app.server.engine.call('open', { source: { kind: 'path', path: file } });
  return trace;
}

const dialog = () => page.getByRole('dialog');
const words = async () => plainSpaces(await dialog().innerText()).replaceAll(/\s+/g, ' ');
const holders = (trace: string) => app.server.engine.call('holders', { trace, device: 0, at: 'peak' });

describe('Difference to…', () => {
  it('shows every stack that changed, grown first, and the frames of the selected one', async () => {
    const before = await openProfile('before.prof', 0);
    const after = await openProfile('after.prof', 3 * 1024 ** 2);
    page = await app.open();
    await page
      .getByRole('tab', { name: /after\.prof/ })
      .or(page.locator('.tab', { hasText: 'after.prof' }))
      .first()
      .click();
    await page.getByRole('button', { name: 'Difference to…' }).click();
    await dialog().locator('.data-table-line').first().waitFor();
    const difference = differenceOf(await holders(before), await holders(after));
    const growth = difference.after.bytes - difference.before.bytes;
    expect(await words()).toContain(
      plainSpaces(
        `${formatByteDifference(growth)}: ${formatBytes(difference.before.bytes)} in before.prof, ${formatBytes(difference.after.bytes)} in after.prof.`,
      ),
    );
    const rows = await dialog().locator('.data-table-line').allInnerTexts();
    expect(rows).toHaveLength(2);
    expect(rows[0]).toContain('grown');
    expect(rows[1]).toContain('new');
    await dialog().locator('.data-table-body').focus();
    await page.keyboard.press('ArrowDown');
    expect(await dialog().locator('.difference-stack li').allInnerTexts()).toEqual([
      'step (train.py:115)',
      'main (train.py:109)',
    ]);
    await dialog().getByRole('button', { name: 'Swap' }).click();
    await dialog().getByText('gone').first().waitFor();
    expect(await words()).toContain(plainSpaces(formatByteDifference(-growth)));
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  it('asks for a second capture when only one is open, in both languages', async () => {
    await openProfile('alone.prof', 0);
    for (const locale of ['en-GB', 'zh-CN']) {
      page = await app.open({ locale });
      await page.keyboard.press('Shift+D');
      await dialog().waitFor();
      expect(await words()).toContain(locale === 'zh-CN' ? '目前只打开了这一条' : 'only this one is open');
    }
  });
});
