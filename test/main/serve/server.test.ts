import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createClient } from '../../../app/contract/client.ts';
import { decode, type EngineMessage, encode, WIRE_PROTOCOL } from '../../../app/contract/wire.ts';
import { commandFor } from '../../../main/serve/browser.ts';
import { type RunningServer, startServer } from '../../../main/serve/server.ts';

const root = mkdtempSync(join(tmpdir(), 'strata-test-'));
const pages = join(root, 'pages');
let server: RunningServer;
let port: number;

beforeAll(async () => {
  mkdirSync(join(pages, 'assets'), { recursive: true });
  writeFileSync(join(root, 'secret.html'), 'secret');
  writeFileSync(join(pages, 'index.html'), '<title>Strata</title>');
  writeFileSync(join(pages, 'assets', 'main.js'), 'start();');
  writeFileSync(join(pages, 'notes.xyz'), 'unknown type');
  server = await startServer(pages);
  port = Number(new URL(server.address).port);
});
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A request that may lie about everything, unlike fetch. */
function ask(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, method: options.method ?? 'GET', headers: options.headers ?? {} },
      (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => {
          body += chunk.toString();
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(options.body);
  });
}

function socket(protocols: readonly string[], headers: Record<string, string> = {}, path = '/socket') {
  return new Promise<WebSocket | number>((resolve) => {
    const opened = new WebSocket(`ws://127.0.0.1:${port}${path}`, [...protocols], { headers });
    opened.on('open', () => resolve(opened));
    opened.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
    opened.on('error', () => {});
  });
}

const token = () => server.token;
const own = () => ({ origin: `http://127.0.0.1:${port}` });

describe('the pages', () => {
  it('are sent with headers that isolate them', async () => {
    const { status, headers, body } = await ask('/');
    expect(status).toBe(200);
    expect(body).toContain('Strata');
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-security-policy']).toContain("script-src 'self'");
    expect((await ask('/assets/main.js')).headers['content-type']).toBe('text/javascript; charset=utf-8');
  });

  it('answer a HEAD request without a body', async () => {
    expect(await ask('/', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
  });

  it.each([
    '/../secret.html',
    '/..%2fsecret.html',
    '/assets/..%2f..%2fsecret.html',
    '/%2e%2e/secret.html',
    '/..%5csecret.html',
    '/%00',
    '/%',
    '/assets',
    '/notes.xyz',
    '/absent.html',
    '//secret.html',
  ])('are all there is: %s is not found', async (path) => {
    expect(await ask(path)).toMatchObject({ status: 404, body: '' });
  });

  it('are not sent to a page that reached us under another name', async () => {
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example']) {
      expect((await ask('/', { headers: { host } })).status).toBe(401);
    }
  });

  it('answer 404 to a path that is no address, and go on', async () => {
    for (const path of ['//', '//x:99999999/', '/%', '/%00']) expect((await ask(path)).status).toBe(404);
    expect((await ask('/')).status).toBe(200);
  });

  it('are sent through a tunnel that ends at another port', async () => {
    expect((await ask('/', { headers: { host: 'localhost:9000' } })).status).toBe(200);
  });

  it('refuse methods that nobody needs', async () => {
    expect((await ask('/', { method: 'DELETE' })).status).toBe(405);
    expect((await ask('/', { method: 'POST' })).status).toBe(404);
  });
});

describe('the socket', () => {
  it('opens with the token, which it does not echo', async () => {
    const opened = await socket([WIRE_PROTOCOL, `token.${token()}`], own());
    if (typeof opened === 'number') return expect.fail(`refused with ${opened}`);
    expect(opened.protocol).toBe(WIRE_PROTOCOL);
    opened.close();
  });

  it('answers 401 to a wrong, a missing or a bare token', async () => {
    for (const protocols of [[WIRE_PROTOCOL, 'token.wrong'], [WIRE_PROTOCOL], [`token.${token()}`]]) {
      expect(await socket(protocols, own())).toBe(401);
    }
  });

  it('answers 401 to a foreign origin, even with the token', async () => {
    const protocols = [WIRE_PROTOCOL, `token.${token()}`];
    for (const origin of ['http://evil.example', `http://127.0.0.1:${port + 1}`, 'null']) {
      expect(await socket(protocols, { origin })).toBe(401);
    }
    expect(await socket(protocols, { host: 'evil.example', origin: 'http://evil.example' })).toBe(401);
    expect(await socket(protocols, own(), '/other')).toBe(401);
  });

  it('carries the engine, typed arrays included', async () => {
    const opened = await socket([WIRE_PROTOCOL, `token.${token()}`], own());
    if (typeof opened === 'number') return expect.fail(`refused with ${opened}`);
    const client = createClient((message) => opened.send(encode(message)));
    opened.on('message', (data: Buffer) => client.receive(decode(data) as EngineMessage));
    const source = { kind: 'sample', name: 'training-step' } as const;
    const { trace } = await client.engine.call('open', { source });
    const window = { axis: 'event', from: 0, to: 100, columns: 10 } as const;
    const series = await client.engine.call('series', { trace, device: 0, window });
    expect(series).toEqual(await server.engine.call('series', { trace, device: 0, window }));
    const state = await client.engine.call('state', { trace, device: 0, event: 50 });
    expect(state.segmentAddress).toBeInstanceOf(BigUint64Array);
    await client.engine.call('close', { trace });
    opened.close();
  });

  it('closes on what is no message, and the server goes on', async () => {
    const opened = await socket([WIRE_PROTOCOL, `token.${token()}`], own());
    if (typeof opened === 'number') return expect.fail(`refused with ${opened}`);
    const closed = new Promise((resolve) => opened.on('close', resolve));
    opened.send('nonsense');
    expect(await closed).toBe(1003);
    expect((await ask('/')).status).toBe(200);
  });
});

describe('an upload', () => {
  const bearer = () => ({ authorization: `Bearer ${token()}` });
  const sample = readFileSync(new URL('../../../app/samples/training-step.pickle.gz', import.meta.url));

  it('is opened under the name it had, and can be again while a trace of it is open', async () => {
    const name = encodeURIComponent('../my snapshot.pickle.gz');
    const answer = await ask(`/upload?name=${name}`, { method: 'POST', headers: bearer(), body: sample });
    expect(answer.status).toBe(200);
    const { id } = JSON.parse(answer.body) as { id: string };
    const source = { kind: 'upload', id } as const;
    const info = await server.engine.call('open', { source });
    expect(info).toMatchObject({ name: 'my snapshot.pickle.gz', path: null, fileBytes: sample.length });
    const again = await server.engine.call('open', { source: { kind: 'set', files: [source] } });
    expect(again.parts).toMatchObject([{ name: 'my snapshot.pickle.gz', path: null }]);
    await server.engine.call('close', { trace: info.trace });
    await server.engine.call('close', { trace: again.trace });
    await expect(server.engine.call('open', { source })).rejects.toMatchObject({ code: 'no-such-upload' });
  });

  it('answers 401 without the token, with a wrong one, and to a foreign origin', async () => {
    const post = (headers: Record<string, string>) =>
      ask('/upload?name=x', { method: 'POST', headers, body: 'x' });
    expect((await post({})).status).toBe(401);
    expect((await post({ authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await post({ ...bearer(), origin: 'http://evil.example' })).status).toBe(401);
  });

  it('is refused before it begins when the disk has no room for it', async () => {
    const headers = { ...bearer(), 'content-length': String(2 ** 52) };
    const answer = await new Promise<string>((resolve) => {
      const raw = connect(port, '127.0.0.1');
      let text = '';
      raw.on('data', (chunk) => {
        text += chunk.toString();
      });
      raw.on('close', () => resolve(text));
      const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map((pair) => pair.join(': '));
      raw.write(`POST /upload?name=x HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    });
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toContain('"code":"upload-too-large"');
  });
});

describe('starting and stopping', () => {
  it('says in a sentence that a port is in use', async () => {
    await expect(startServer(pages, port)).rejects.toMatchObject({
      code: 'port-in-use',
      message: `Port ${port} is in use by another program.`,
    });
  });

  it('closes open sockets', async () => {
    const other = await startServer(pages);
    const address = new URL(other.address);
    const protocols = [WIRE_PROTOCOL, `token.${other.token}`];
    const opened = new WebSocket(`ws://${address.host}/socket`, protocols, {
      headers: { origin: address.origin },
    });
    await new Promise((resolve) => opened.on('open', resolve));
    const closed = new Promise((resolve) => opened.on('close', resolve));
    await other.close();
    await closed;
    await expect(fetch(address)).rejects.toThrow();
  });

  it('opens a browser only where there is a display', () => {
    expect(commandFor('http://x', 'linux', {})).toBeNull();
    expect(commandFor('http://x', 'linux', { DISPLAY: ':0' })).toEqual(['xdg-open', 'http://x']);
    expect(commandFor('http://x', 'linux', { WAYLAND_DISPLAY: 'wayland-0' })).toEqual([
      'xdg-open',
      'http://x',
    ]);
    expect(commandFor('http://x', 'darwin', {})?.[0]).toBe('open');
    expect(commandFor('http://x', 'win32', {})?.[0]).toBe('rundll32');
  });
});
