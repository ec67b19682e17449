import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CallOutcome } from '../../app/contract/bridge.ts';
import { createEngine } from '../../main/engine/index.ts';
import { launchChromium } from './chromium.ts';
import { type ShimmedShell, startShell } from './shell-shim.ts';

/** The built main process, preload, pages and engine together; only Electron itself is a stand-in. */

const root = path.resolve(import.meta.dirname, '../..');
const sample = path.join(root, 'app/samples/training-step.pickle.gz');
const other = path.join(root, 'app/samples/out-of-memory.pickle.gz');

let browser: Browser;
let shell: ShimmedShell;
beforeAll(async () => {
  browser = await launchChromium();
});
afterEach(() => shell.close());
afterAll(() => browser.close());

/** Calls through window.strata as the page does, under a number that the page has not used. */
function call(method: string, args: unknown): Promise<CallOutcome> {
  return shell.page.evaluate(
    ([name, values, id]) => window.strata?.call(name as never, values, id) as Promise<CallOutcome>,
    [method, args, lastId++] as const,
  );
}
let lastId = 1_000_000;

describe('the bridge', () => {
  it('is all of the shell that the page sees', async () => {
    shell = await startShell(browser);
    const names = await shell.page.evaluate(() => Object.keys(window.strata ?? {}).sort());
    expect(names).toEqual([
      'call',
      'cancel',
      'onEngineRestarted',
      'onOpenRequest',
      'onProgress',
      'pathForFile',
      'pickFiles',
      'platform',
      'setLanguage',
    ]);
    const node = await shell.page.evaluate(() =>
      ['require', 'process', 'module', 'Buffer'].filter((name) => name in window),
    );
    expect(node).toEqual([]);
  });

  it('carries a call to the engine and typed arrays back', async () => {
    shell = await startShell(browser);
    const opened = await call('open', { source: { kind: 'path', path: sample } });
    expect(opened).toMatchObject({ ok: true, result: { format: 'pytorch-snapshot', path: sample } });
    const trace = opened.ok ? (opened.result as { trace: string }).trace : '';
    const state = await call('state', { trace, device: 0, event: 100 });
    expect(state).toMatchObject({ ok: true, result: { segmentAddress: expect.any(BigUint64Array) } });
  });

  it('refuses what the contract does not name or allow', async () => {
    shell = await startShell(browser);
    expect(await call('eval', {})).toMatchObject({ ok: false, error: { code: 'unknown-method' } });
    expect(await call('open', { source: { kind: 'path', path: 7 } })).toMatchObject({
      ok: false,
      error: { code: 'invalid-arguments' },
    });
  });

  it('passes on what the engine says of a file that is not there', async () => {
    shell = await startShell(browser);
    const outcome = await call('open', { source: { kind: 'path', path: '/nowhere/at-all.pickle' } });
    expect(outcome.ok).toBe(false);
    expect(outcome).toMatchObject({ error: { message: expect.stringContaining('at-all.pickle') } });
  });
});

describe('quitting', () => {
  it('gives recordings their end', async () => {
    const home = mkdtempSync(path.join(tmpdir(), 'strata-quit-'));
    process.env['STRATA_RECORDINGS'] = home;
    try {
      shell = await startShell(browser);
      await call('liveStart', { scenario: 'training-loop', again: false });
      expect(await call('liveRecord', {})).toMatchObject({ ok: true });
      const [file = ''] = readdirSync(home);
      await shell.close();
      const engine = createEngine();
      const recording = { kind: 'path', path: path.join(home, file) } as const;
      const { trace } = await engine.call('open', { source: recording });
      expect((await engine.call('settings', { trace }))['closing record']).not.toBe('missing');
      shell = await startShell(browser);
    } finally {
      delete process.env['STRATA_RECORDINGS'];
      rmSync(home, { recursive: true, force: true });
    }
  });
});

describe('the window', () => {
  it('is built as main/shell/window.ts says, with the built preload', async () => {
    shell = await startShell(browser);
    expect(shell.windowOptions.webPreferences).toMatchObject({
      preload: path.join(root, 'dist/shell/preload.cjs'),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
    });
  });

  it('shows a page that runs under its policy without a complaint', async () => {
    shell = await startShell(browser);
    await shell.page.getByRole('main').waitFor();
    expect(shell.complaints).toEqual([]);
    expect(await shell.page.evaluate(() => window.crossOriginIsolated)).toBe(true);
  });

  it('has a menu in the language of the system, and of the page when that changes', async () => {
    shell = await startShell(browser, { locale: 'zh-CN' });
    await shell.page.evaluate(() => window.strata?.setLanguage('zh-CN'));
    await expect.poll(() => shell.menu()[0]?.label).toBe('文件');
    await shell.page.evaluate(() => window.strata?.setLanguage('en'));
    await expect.poll(() => shell.menu()[0]?.label).toBe('File');
  });
});

describe('a capture', () => {
  const tab = (name: string) => shell.page.getByRole('button', { name: `${name}.pickle.gz`, exact: true });
  const overview = () => shell.page.getByRole('region', { name: 'Peak', exact: true });

  it('that the command line names is opened and shown', async () => {
    shell = await startShell(browser, { argv: [sample] });
    await tab('training-step').waitFor();
    expect(await overview().textContent()).toContain('Peak reserved12.95');
    await shell.page.getByRole('button', { name: 'Map' }).click();
    await shell.page.locator('canvas').first().waitFor();
    expect(shell.complaints).toEqual([]);
  });

  it('that a second start names is opened beside it', async () => {
    shell = await startShell(browser, { argv: [sample] });
    await tab('training-step').waitFor();
    shell.secondStart(['out-of-memory.pickle.gz'], path.dirname(other));
    await tab('out-of-memory').waitFor();
  });

  it('is opened from the menu through the dialog', async () => {
    shell = await startShell(browser);
    await shell.page.getByRole('main').waitFor();
    shell.answerDialog([other]);
    const file = shell.menu()[0]?.submenu as Electron.MenuItemConstructorOptions[];
    file[0]?.click?.({} as never, undefined, {} as never);
    await tab('out-of-memory').waitFor();
  });

  it('is opened where it lies when it is dropped on the page', async () => {
    shell = await startShell(browser);
    await shell.page.getByRole('main').waitFor();
    const bytes = readFileSync(sample).toString('base64');
    await shell.page.evaluate(
      ([name, file, contents]) => {
        Object.assign(window, { shimPaths: { [name]: file } });
        const transfer = new DataTransfer();
        transfer.items.add(new File([contents], name));
        for (const type of ['dragenter', 'dragover', 'drop']) {
          document.body.dispatchEvent(
            new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }),
          );
        }
      },
      [path.basename(sample), sample, bytes] as const,
    );
    await tab('training-step').waitFor();
  });

  it('can be reopened after the engine has crashed', async () => {
    shell = await startShell(browser, { argv: [sample] });
    await tab('training-step').waitFor();
    await shell.crashEngine();
    await shell.page.getByRole('button', { name: /^Reopen/ }).click();
    await overview().waitFor();
    const list = await call('list', {});
    expect(list.ok ? (list.result as unknown[]).length : list.error).toBe(1);
  });
});
