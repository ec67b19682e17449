import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** `npm start` as a newcomer types it, on a machine where everything is built. */

const root = path.resolve(import.meta.dirname, '../..');
const sample = path.join(root, 'app/samples/training-step.pickle.gz');
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+/;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'strata-start-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A program named electron that prints its arguments, one a line, and ends with a code. */
function electronThatEndsWith(code: number): Record<string, string> {
  const program = path.join(folder, 'electron');
  writeFileSync(program, `#!/bin/sh\nprintf 'electron got %s\\n' "$@"\nexit ${code}\n`);
  chmodSync(program, 0o755);
  return { ELECTRON_OVERRIDE_DIST_PATH: folder };
}

interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** The exit code. */
  readonly ended: Promise<number | null>;
}

function start(args: readonly string[], env: Record<string, string> = {}): Started {
  const { DISPLAY: _display, WAYLAND_DISPLAY: _wayland, ...rest } = process.env;
  const child = spawn(process.execPath, ['main/setup/run.mjs', 'start', ...args], {
    cwd: root,
    env: { ...rest, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return {
    child,
    output: () => output,
    ended: new Promise((resolve) => child.on('close', resolve)),
  };
}

/** Waits for the printed address, fetches the page, and stops the server. */
async function pageOf(started: Started): Promise<string> {
  const ended = started.ended.then(() => {
    throw new Error(`It ended before it printed an address:\n${started.output()}`);
  });
  const printed = (async () => {
    while (!ADDRESS.test(started.output())) await new Promise((resolve) => setTimeout(resolve, 20));
  })();
  await Promise.race([printed, ended]);
  const [address = ''] = ADDRESS.exec(started.output()) ?? [];
  const page = await (await fetch(address)).text();
  started.child.kill('SIGTERM');
  await started.ended;
  return page;
}

describe('npm start', () => {
  it('opens Electron on the sample where its binary is there', async () => {
    const started = start([], electronThatEndsWith(0));
    expect(await started.ended).toBe(0);
    expect(started.output()).toContain(`electron got ${root}\nelectron got ${sample}\n`);
    expect(started.output()).not.toMatch(ADDRESS);
  });

  it('opens Electron on the files that are named', async () => {
    const started = start(['one.pickle', 'two.pickle'], electronThatEndsWith(0));
    await started.ended;
    expect(started.output()).toContain('electron got one.pickle\nelectron got two.pickle\n');
  });

  it('says why and serves the same pages where Electron opens no window', async () => {
    const started = start([], electronThatEndsWith(1));
    expect(await pageOf(started)).toContain('<title>Strata</title>');
    expect(started.output()).toMatch(
      /Electron could not open a window: .+\. The same pages are served to a browser/,
    );
  });

  it('says why and serves the same pages where Electron is not there', async () => {
    const started = start([], { ELECTRON_OVERRIDE_DIST_PATH: path.join(folder, 'nothing') });
    expect(await pageOf(started)).toContain('<title>Strata</title>');
    expect(started.output()).toMatch(/Electron (was not|could not be) fetched.+\. The same pages are served/);
  });

  it('serves at once with --no-open', async () => {
    const started = start(['--no-open'], electronThatEndsWith(0));
    expect(await pageOf(started)).toContain('<title>Strata</title>');
    expect(started.output()).not.toContain('electron got');
  });

  it('says in a sentence that a port is in use', async () => {
    const other = await listeningServer();
    const { port } = other.address() as AddressInfo;
    const started = start(['--no-open', '--port', String(port)]);
    expect(await started.ended).toBe(1);
    expect(started.output()).toContain(String(port));
    expect(started.output()).toContain('port-in-use');
    expect(started.output()).not.toMatch(/^\s+at /m);
    other.close();
  });
});

function listeningServer(): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => resolve(server));
  });
}
