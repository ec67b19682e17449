import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../main/engine/index.ts';
import type { RunningServer } from '../../main/serve/server.ts';
import { alloc, Program } from '../main/engine/allocations/program.ts';
import { launchChromium } from './chromium.ts';
import { openServed, type PageOptions, type ServedPage, serveForTest } from './served-page.ts';

/** Programs that stream their allocations, over the real socket, engine and addon, to the page. */

const python = ['python3', 'python'].find((name) => spawnSync(name, ['--version']).status === 0);
if (python === undefined) console.log('The Python client is not tried in the browser: there is no python3.');

let browser: Browser;
let home: string;
let server: RunningServer;
let served: ServedPage;
let children: ChildProcess[] = [];

beforeAll(async () => {
  browser = await launchChromium();
});
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'strata-e2e-'));
  process.env['STRATA_RUNTIME_DIR'] = path.join(home, 'run');
  process.env['STRATA_RECORDINGS'] = path.join(home, 'recordings');
  process.env['STRATA_NVML_LIBRARY'] = '/nowhere';
});
afterEach(async () => {
  for (const child of children) child.kill();
  children = [];
  await served.close();
  await server.close();
  for (const name of ['STRATA_RUNTIME_DIR', 'STRATA_RECORDINGS', 'STRATA_NVML_LIBRARY']) {
    delete process.env[name];
  }
  rmSync(home, { recursive: true, force: true });
});
afterAll(() => browser.close());

async function openPrograms(look: PageOptions = {}): Promise<Page> {
  server = await serveForTest();
  served = await openServed(browser, server, look);
  await served.page.keyboard.press('9');
  await served.page.getByRole('radio').nth(1).click();
  await served.page.locator('.connect-card').waitFor();
  return served.page;
}

const address = async () => {
  const { endpoint } = await server.engine.call('allocations', {});
  return endpoint?.address ?? '';
};
const events = async () => (await server.engine.call('allocations', {})).sessions[0]?.events ?? 0;
const faults = async (page: Page) =>
  (await new AxeBuilder({ page }).analyze()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('the page of programs', () => {
  it.skipIf(python === undefined)('connects a Python program with the lines it shows', async () => {
    const page = await openPrograms();
    await page.getByText('No program is connected yet.').waitFor();
    expect(await faults(page)).toEqual([]);
    await page.getByRole('radio', { name: 'Try it' }).click();
    await page.getByRole('button', { name: 'Copy these lines' }).click();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    children.push(spawn('sh', ['-c', `exec env ${command}`], { env: process.env }));
    await page.getByText('strata_live demo').first().waitFor();
    await page.getByText('receiving').waitFor();
    await page.getByRole('button', { name: 'Watch' }).click();
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    await page.getByText('Follows the end').waitFor();
    expect(await faults(page)).toEqual([]);
    const shown = () => page.evaluate(() => document.querySelector('.growth-bar p')?.textContent ?? '');
    const before = await shown();
    await until(async () => (await shown()) !== before);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.locator('.growth-bar').getByText('ended').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.growth-bar').waitFor({ state: 'detached' });
    expect(
      readdirSync(path.join(home, 'recordings')).filter((name) => /demo.*\.jsonl$/.test(name)),
    ).toHaveLength(1);
    expect(served.complaints).toEqual([]);
  });

  it('grows the timeline and the map, follows at the end and stays put in the past', async () => {
    const page = await openPrograms();
    const program = new Program(await address());
    program.hello({ producer: 'train.py', devices: ['cuda:0'] });
    await program.answer('accepted');
    const segment = { action: 'segment_alloc', time_us: 0, address: 0x10000000, bytes: 64 * 1024 ** 2 };
    const block = (number: number) => ({
      ...alloc(number, 1024 ** 2),
      address: 0x10000000 + number * 1024 ** 2,
      stack: [`layer (model.py:${number % 5})`],
    });
    program.send(segment, ...Array.from({ length: 20 }, (_, number) => block(number)));
    await page.getByRole('button', { name: 'Watch' }).click();
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    const info = async () => (await server.engine.call('list', {})).at(-1);
    await until(async () => (await info())?.devices[0]?.events === 21);
    const sentence = () => page.locator('.view-header p').first().textContent();
    const cursor = () => page.locator('.inspector').textContent();
    const first = { sentence: await sentence(), cursor: await cursor() };
    program.send(...Array.from({ length: 20 }, (_, number) => block(20 + number)));
    await until(async () => (await info())?.devices[0]?.events === 41);
    await until(async () => (await sentence()) !== first.sentence && (await cursor()) !== first.cursor);
    await page.locator('.inspector').getByText('40.0 MiB').first().waitFor();
    await page.locator('.growth-bar').getByText('41 events').waitFor();

    await page.keyboard.press('Home');
    await page.getByRole('button', { name: 'Follow the end' }).waitFor();
    await page.locator('.inspector').getByText('Before the first event').waitFor();
    program.send(...Array.from({ length: 10 }, (_, number) => block(40 + number)));
    await until(async () => (await info())?.devices[0]?.events === 51);
    await page.locator('.growth-bar').getByText('51 events').waitFor();
    await page.locator('.inspector').getByText('of 51 events').waitFor();
    expect(await cursor()).toContain('Before the first event');
    await page.getByRole('button', { name: 'Follow the end' }).click();
    await page.locator('.inspector').getByText('50.0 MiB').first().waitFor();

    await page.keyboard.press('3');
    await page.getByRole('heading', { name: 'Map' }).waitFor();
    const mapped = () => page.locator('.view-header p').first().textContent();
    const mapBefore = await mapped();
    program.send({ action: 'gap', dropped: 7, label: 'queue full', time_us: 60 });
    program.send(...Array.from({ length: 5 }, (_, number) => block(60 + number)));
    program.send({ strata: 'end' });
    await program.answer('ended');
    await page.locator('.growth-bar').getByText('7 events missing').waitFor();
    await until(async () => (await mapped()) !== mapBefore);
    await page.locator('.growth-bar').getByText('ended').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.growth-bar').waitFor({ state: 'detached' });

    const trace = (await info())?.trace as string;
    await until(async () => (await info())?.path?.includes('unsaved') === false);
    const saved = (await info())?.path as string;
    const reopened = createEngine();
    const again = await reopened.call('open', { source: { kind: 'path', path: saved } });
    const report = await reopened.call('report', { trace: again.trace });
    expect(await server.engine.call('report', { trace })).toEqual(report);
    expect(report.devices[0]?.events).toBe(56);
    expect(report.warnings.map(({ code }) => code)).toContain('events-missing');
    expect(readFileSync(saved, 'utf8')).toMatch(/# ended = by-program\n$/);
    expect(served.complaints).toEqual([]);
  });

  it('discards what an earlier run left and takes that back, by keyboard, and names a recording so', async () => {
    const unsaved = path.join(home, 'recordings', 'unsaved');
    mkdirSync(unsaved, { recursive: true });
    const name = 'allocations 2026-11-30 train.py [999999999].jsonl';
    const rows = [
      '# producer = train.py',
      '# recorded = live',
      '{"action":"segment_alloc","address":65536,"bytes":4194304,"time_us":0}',
      '{"action":"alloc","address":65536,"bytes":1048576,"time_us":5}',
      '{"action":"gap","dropped":7,"label":"queue full","time_us":6}',
      '{"action":"alloc","address":2097152,"bytes":1048576,"time_us":9}',
      '# ended = closed',
    ];
    writeFileSync(path.join(unsaved, name), `${rows.join('\n')}\n`);
    const page = await openPrograms();
    await page.getByRole('button', { name: 'Discard allocations' }).focus();
    await page.keyboard.press('Enter');
    const undo = page.getByRole('button', { name: 'Undo: keep allocations' });
    await undo.waitFor();
    expect(await undo.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(readdirSync(unsaved)).toEqual([name]);
    expect(await faults(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.locator('.left-recordings').getByRole('button', { name: 'Open', exact: true }).click();
    await page.locator('.sidebar').getByRole('button', { name: 'Overview' }).click();
    await page.getByText(/^Recording of train\.py: one device/).waitFor();
    await page.locator('.sidebar').getByRole('button', { name: 'Timeline' }).click();
    await page.getByText('7 events missing (queue full)').first().waitFor();
    expect(await page.getByText('gap:').count()).toBe(0);
    expect(served.complaints).toEqual([]);
  });

  it('says what is wrong with a program, in Chinese and dark', async () => {
    const page = await openPrograms({ colorScheme: 'dark', locale: 'zh-CN' });
    const wrong = new Program(await address());
    wrong.hello({ version: 9 });
    await wrong.answer('refused');
    await page.getByText('程序使用的协议版本与此 Strata 不同。').waitFor();
    const broken = new Program(await address());
    broken.hello({ producer: 'broken' });
    broken.send(alloc(1));
    broken.write('not json\n{"action": "al');
    await until(async () => (await events()) === 1);
    broken.socket.end();
    await page.getByText('连接中断').waitFor();
    await page.getByText('第一处是记录的第 7 行').waitFor();
    await page.getByText('14 B').waitFor();
    expect(await faults(page)).toEqual([]);
  });
});
