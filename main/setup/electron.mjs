import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { at, root } from './paths.mjs';
import { run } from './program.mjs';

/** Whether there is an Electron is decided within this time; a download that has begun may take longer. */
const decideMs = 9_000;
/** A shell that ends sooner than this with an error never came up. */
const startMs = 8_000;

/**
 * Opens the shell and stays with it until it is closed.
 *
 * @param {readonly string[]} files captures to open
 * @param {import('./progress.mjs').Progress} progress
 * @returns {Promise<string | null>} why there is no window, as a sentence; null when there was one
 */
export async function openInElectron(files, progress) {
  const found = installedElectron() ?? (await fetchElectron(progress));
  if (found.path === undefined) return found.reason;
  progress.say('Opening Strata.');
  const begin = performance.now();
  const code = await runShell(found.path, files);
  const isUp = code === 0 || performance.now() - begin > startMs;
  return isUp ? null : `Electron could not open a window: ${whyNoWindow() ?? `it ended with code ${code}`}.`;
}

function runShell(program, files) {
  return new Promise((resolve) => {
    const child = spawn(program, [root, ...files], { stdio: 'inherit' });
    const stop = (signal) => child.kill(signal);
    process.once('SIGINT', stop).once('SIGTERM', stop);
    const done = (code) => {
      process.off('SIGINT', stop).off('SIGTERM', stop);
      resolve(code);
    };
    child.on('error', () => done(127));
    child.on('close', (code, signal) =>
      done(signal === 'SIGINT' || signal === 'SIGTERM' ? 0 : (code ?? 128)),
    );
  });
}

/** The binary that the electron package has fetched before, or the one the user names. */
function installedElectron() {
  const pathFile = at('node_modules', 'electron', 'path.txt');
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8') : 'electron';
  const path = join(override ?? at('node_modules', 'electron', 'dist'), name);
  return existsSync(path) ? { path } : null;
}

/** Lets the electron package fetch its binary, from its own cache or the network; says so only once it can. */
async function fetchElectron(progress) {
  const obstacle = whyNoWindow();
  if (obstacle !== null) return { reason: `Electron was not fetched, because ${obstacle}.` };
  const giveUp = new AbortController();
  const installer = run(process.execPath, [at('node_modules', 'electron', 'install.js')], {
    signal: giveUp.signal,
  });
  const answer = probe();
  const decided = await Promise.race([
    installer.then(() => 'finished'),
    answer.then((text) => (text === 'reachable' ? text : installer)),
    pause(decideMs, 'too slow', { ref: false }),
  ]);
  if (decided === 'reachable') await progress.step('Fetching Electron (about 120 MB)', () => installer);
  else if (decided === 'too slow') giveUp.abort();
  const installed = installedElectron();
  if (installed !== null) return installed;
  const why = decided === 'too slow' ? 'no answer within ten seconds' : await answer;
  return { reason: `Electron could not be fetched from ${releaseHost()} (${why}).` };
}

/** 'reachable', or the reason why the binary's place is not. */
async function probe() {
  const { version } = JSON.parse(readFileSync(at('node_modules', 'electron', 'package.json'), 'utf8'));
  const file = `v${version}/electron-v${version}-${process.platform}-${process.arch}.zip`;
  try {
    const answer = await fetch(new URL(file, releases()), {
      method: 'HEAD',
      signal: AbortSignal.timeout(decideMs - 1000),
    });
    return answer.ok ? 'reachable' : `status ${answer.status}`;
  } catch (error) {
    return error.cause?.code ?? error.cause?.message ?? error.message;
  }
}

const releases = () =>
  process.env.npm_config_electron_mirror ??
  process.env.ELECTRON_MIRROR ??
  'https://github.com/electron/electron/releases/download/';

const releaseHost = () => new URL(releases()).host;

function whyNoWindow() {
  if (process.platform !== 'linux') return null;
  if (!process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return 'there is no display here';
  return process.getuid?.() === 0 ? 'it does not run as root' : null;
}
