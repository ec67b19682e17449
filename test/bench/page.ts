import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { FRAME_MARK, traceFrames } from './frame-work.ts';
import { type Percentiles, percentiles } from './percentiles.ts';

/** What the page costs on an open trace, in milliseconds. */
export interface PageResult {
  /** From asking for the Timeline to its complete picture. */
  readonly pictureMs: number;
  /** Time between frames while panning and zooming; 16.7 is the display's own pace. */
  readonly pan: Percentiles;
  readonly zoom: Percentiles;
  /** Processor time of the page's main thread from one such frame to the next, whatever it was spent on. */
  readonly panWork: Percentiles;
  readonly zoomWork: Percentiles;
}

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const FRAMES = 120;

interface Frames {
  readonly gaps: readonly number[];
  readonly work: readonly number[];
}

/** Serves a capture and resolves with the address once it is open. */
async function serve(root: string, file: string): Promise<{ url: string; stop: () => void }> {
  const child = spawn(
    process.execPath,
    [path.join(root, 'dist/host/strata.mjs'), 'serve', file, '--no-open'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const url = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = /http:\/\/\S+/.exec(text);
      if (found !== null) resolve(found[0]);
    });
    child.on('exit', (code) => reject(new Error(`serve ended with ${code}`)));
  });
  return { url, stop: () => child.kill('SIGTERM') };
}

type Motion = 'zoom in and out' | 'zoom in' | 'pan there and back';

/** Turns the wheel over the chart once a frame and measures each frame. */
async function driveWheel(browser: Browser, page: Page, motion: Motion): Promise<Frames> {
  const { result: gaps, work } = await traceFrames(browser, () => turnWheel(page, motion));
  return { gaps, work };
}

/** Resolves with the times between frames. */
function turnWheel(page: Page, motion: Motion): Promise<number[]> {
  return page.evaluate(
    async ({ frames, motion, mark }) => {
      const chart = document.querySelector('[data-chart="timeline"]');
      if (chart === null) throw new Error('no timeline on the page');
      const box = chart.getBoundingClientRect();
      const channel = new MessageChannel();
      const nextFrame = () =>
        new Promise<number>((resolve) =>
          requestAnimationFrame(() => {
            performance.mark(mark);
            resolve(performance.now());
          }),
        );
      const afterPaint = () =>
        new Promise<void>((resolve) => {
          channel.port1.onmessage = () => resolve();
          channel.port2.postMessage(null);
        });
      const gaps: number[] = [];
      let before = await nextFrame();
      await afterPaint();
      for (let frame = 0; frame < frames; frame++) {
        const direction = motion === 'zoom in' || frame < frames / 2 ? -1 : 1;
        const frameBegins = nextFrame(); // asked for first, so that it runs before the page's own callbacks
        chart.dispatchEvent(
          new WheelEvent('wheel', {
            bubbles: true,
            cancelable: true,
            clientX: box.left + box.width * 0.6,
            clientY: box.top + 120,
            deltaX: 0,
            deltaY: direction * 60,
            shiftKey: motion === 'pan there and back',
          }),
        );
        const begin = await frameBegins;
        gaps.push(begin - before);
        before = begin;
        await afterPaint();
      }
      return gaps;
    },
    { frames: FRAMES, motion, mark: FRAME_MARK },
  );
}

/** Opens the Timeline of a capture in headless Chromium, pans and zooms. Null, with a reason, without a browser. */
export async function measurePage(root: string, file: string): Promise<PageResult | null> {
  const executablePath = BROWSERS.find(existsSync);
  if (executablePath === undefined) {
    process.stderr.write('No Chromium here: the page is not measured.\n');
    return null;
  }
  const { url, stop } = await serve(root, file);
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(url);
    await page.locator('[data-view="overview"]').waitFor({ timeout: 120_000 });
    const start = performance.now();
    await page.keyboard.press('2');
    await page.locator('[data-chart="timeline"][data-complete="true"]').waitFor({ timeout: 120_000 });
    const pictureMs = performance.now() - start;
    const zoom = await driveWheel(browser, page, 'zoom in and out');
    await turnWheel(page, 'zoom in'); // so that there is somewhere to pan to
    const pan = await driveWheel(browser, page, 'pan there and back');
    return {
      pictureMs,
      zoom: percentiles(zoom.gaps),
      pan: percentiles(pan.gaps),
      zoomWork: percentiles(zoom.work),
      panWork: percentiles(pan.work),
    };
  } finally {
    await browser.close();
    stop();
  }
}
