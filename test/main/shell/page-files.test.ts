import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPageFiles } from '../../../main/shell/page-files.ts';

let outside: string;
let serve: (request: Request) => Promise<Response>;

beforeAll(() => {
  outside = mkdtempSync(path.join(tmpdir(), 'strata-pages-'));
  const folder = path.join(outside, 'renderer');
  mkdirSync(path.join(folder, 'assets'), { recursive: true });
  writeFileSync(path.join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(path.join(folder, 'assets', 'index.js'), 'export {}');
  writeFileSync(path.join(folder, 'assets', 'index.css'), ':root {}');
  writeFileSync(path.join(folder, 'assets', 'secret.key'), 'key');
  writeFileSync(path.join(outside, 'secret.html'), 'secret');
  mkdirSync(path.join(outside, 'renderer-old'));
  writeFileSync(path.join(outside, 'renderer-old', 'index.html'), 'secret');
  symlinkSync(path.join(folder, 'assets'), path.join(folder, 'link.js'));
  serve = createPageFiles(folder);
});

afterAll(() => rmSync(outside, { recursive: true }));

const get = (url: string, method = 'GET') => serve(new Request(url, { method }));

describe('app://strata/', () => {
  it('sends the page’s files with their types', async () => {
    const types = [
      ['index.html', 'text/html; charset=utf-8'],
      ['', 'text/html; charset=utf-8'],
      ['assets/index.js', 'text/javascript; charset=utf-8'],
      ['assets/index.css?v=1', 'text/css; charset=utf-8'],
    ];
    for (const [name, type] of types) {
      const response = await get(`app://strata/${name}`);
      expect(response.status, name).toBe(200);
      expect(response.headers.get('content-type'), name).toBe(type);
    }
    expect(await (await get('app://strata/assets/index.js')).text()).toBe('export {}');
  });

  it('sends every answer with the policy and cross-origin isolation', async () => {
    for (const name of ['index.html', 'missing.html']) {
      const { headers } = await get(`app://strata/${name}`);
      expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('cross-origin-embedder-policy')).toBe('require-corp');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('refuses names that lead out of the folder', async () => {
    const names = [
      '..%2fsecret.html',
      '%2e%2e/secret.html',
      'assets/..%2f..%2fsecret.html',
      '..%5csecret.html',
      '..%2frenderer-old%2findex.html',
      '%2fetc%2fpasswd.html',
      'index.html%00.js',
      '%ff.html',
    ];
    for (const name of names) expect((await get(`app://strata/${name}`)).status, name).toBe(404);
  });

  it('refuses unknown types, folders, other hosts and other methods', async () => {
    expect((await get('app://strata/assets/secret.key')).status).toBe(404);
    expect((await get('app://strata/link.js')).status).toBe(404);
    expect((await get('app://other/index.html')).status).toBe(404);
    expect((await get('app://strata:81/index.html')).status).toBe(404);
    expect((await get('https://strata/index.html')).status).toBe(404);
    expect((await get('app://strata/index.html', 'POST')).status).toBe(405);
  });
});
