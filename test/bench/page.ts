import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { type Percentiles, percentiles } from './percentiles.ts';

/** What the page costs on an open trace, in milliseconds. */
export interface PageResult {
  /** From asking for the Timeline to its complete picture. */
  readonly pictureMs: number;
  /** Time between frames while panning and zooming; 16.7 is the display's own pace. */
  readonly pan: Percentiles;
  readonly zoom: Percentiles;
  /** Main-thread work of one such frame: the input handler, the frame's callbacks, style, layout and paint. */
  readonly panScript: Percentiles;
  readonly zoomScript: Percentiles;
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
  readonly gaps: number[];
  readonly work: number[];
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
function driveWheel(page: Page, motion: Motion): Promise<Frames> {
  return page.evaluate(
    async ({ frames, motion }) => {
      const chart = document.querySelector('[data-chart="timeline"]');
      if (chart === null) throw new Error('no timeline on the page');
      const box = chart.getBoundingClientRect();
      const channel = new MessageChannel();
      const nextFrame = () =>
        new Promise<number>((resolve) => requestAnimationFrame(() => resolve(performance.now())));
      const afterPaint = () =>
        new Promise<number>((resolve) => {
          channel.port1.onmessage = () => resolve(performance.now());
          channel.port2.postMessage(null);
        });
      const gaps: number[] = [];
      const work: number[] = [];
      let before = await nextFrame();
      for (let frame = 0; frame < frames; frame++) {
        const direction = motion === 'zoom in' || frame < frames / 2 ? -1 : 1;
        const frameBegins = nextFrame(); // asked for first, so that it runs before the page's own callbacks
        const start = performance.now();
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
        const handler = performance.now() - start;
        const begin = await frameBegins;
        const end = await afterPaint();
        gaps.push(begin - before);
        work.push(handler + (end - begin));
        before = begin;
      }
      return { gaps, work };
    },
    { frames: FRAMES, motion },
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
    const zoom = await driveWheel(page, 'zoom in and out');
    await driveWheel(page, 'zoom in'); // so that there is somewhere to pan to
    const pan = await driveWheel(page, 'pan there and back');
    return {
      pictureMs,
      zoom: percentiles(zoom.gaps),
      pan: percentiles(pan.gaps),
      zoomScript: percentiles(zoom.work),
      panScript: percentiles(pan.work),
    };
  } finally {
    await browser.close();
    stop();
  }
}
