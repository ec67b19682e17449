import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Report } from '../../../app/contract/report.ts';
import { temporaryFolder } from '../engine/archives.ts';
import { runStrata as strata } from './run-strata.ts';

const folder = temporaryFolder();
const sample = fileURLToPath(new URL('../../../app/samples/out-of-memory.pickle.gz', import.meta.url));

describe('strata report', () => {
  it('prints text for people and nothing else', async () => {
    const { code, out, err } = await strata(['report', sample]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('1 failed request');
    expect(out.split('\n').every((line) => line === line.trimEnd())).toBe(true);
    expect(out).not.toMatch(/[\u00a0\u202f]/);
  });

  it('prints JSON in the documented schema', async () => {
    const { code, out } = await strata(['report', '--json', sample]);
    const report = JSON.parse(out) as Report;
    expect(code).toBe(0);
    expect(report).toMatchObject({ schema: 'strata.report/1', file: sample, complete: true, warnings: [] });
    expect(report.devices[0]).toMatchObject({
      exact: { verdict: 'exact' },
      failures: [{ requested: null, rounded: 658048000 }],
      possible_extra: null,
      stored_end: null,
    });
    expect(report.devices[0]?.top_at_peak.length).toBeLessThanOrEqual(20);
    const documented = readFileSync(new URL('../../../main/cli/REPORT.md', import.meta.url), 'utf8');
    for (const key of keysOf(report)) expect(documented, `REPORT.md explains ${key}`).toContain(`\`${key}\``);
  });

  it('prints one device when asked to, and says which there are', async () => {
    expect((await strata(['report', '--device', '0', sample])).code).toBe(0);
    const { code, err } = await strata(['report', '--device', '3', sample]);
    expect(code).toBe(1);
    expect(err).toContain('It holds: 0.');
  });

  it('reports several files one after the other, or together as one trace', async () => {
    const other = folder.write('other.txt', 'nothing that is known');
    const apart = await strata(['report', sample, other, sample]);
    expect(apart.code).toBe(1);
    expect(apart.out.split(sample)).toHaveLength(3);
    expect(apart.err).toContain('capture-unknown-format');
    const together = await strata(['report', '--together', '--json', sample, other]);
    expect(together.code).toBe(2);
    const report = JSON.parse(together.out) as Report;
    expect(report.files).toMatchObject([{ file: sample, clock: 'wall' }]);
    expect(report.warnings).toContainEqual(
      expect.objectContaining({ code: 'capture-unknown-format', file: 'other.txt', damage: true }),
    );
  });

  it('exits with 2 for a damaged file, and says where on standard error', async () => {
    const bytes = gunzipSync(readFileSync(sample));
    const path = folder.write('cut.pickle', bytes.subarray(0, bytes.length >> 1));
    const { code, out, err } = await strata(['report', path]);
    expect(code).toBe(2);
    expect(out).toContain('incomplete');
    expect(err).toMatch(/^strata: .*\[at byte [\d,]+\]/);
  });

  it('exits with 2 for a gzip file that is cut off', async () => {
    const bytes = readFileSync(sample);
    const path = folder.write('cut.pickle.gz', bytes.subarray(0, bytes.length >> 1));
    const { code, err } = await strata(['report', path]);
    expect(code).toBe(2);
    expect(err).toContain('gzip-truncated');
  });

  it.each([
    ['an empty file', () => folder.write('empty.pickle', ''), 'file-empty'],
    ['a folder', () => dirname(folder.write('beside', 'x')), 'file-is-folder'],
    ['a file that is not there', () => '/no/such/file.pickle', 'file-not-found'],
    [
      'a picture',
      () => folder.write('x.png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')),
      'capture-not-a-snapshot',
    ],
  ])('exits with 1 for %s, with a sentence, a remedy and a code', async (_, path, expected) => {
    const { code, out, err } = await strata(['report', path()]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^strata: .+\.\n/);
    expect(err).toContain(`(${expected})`);
    expect(err.trim().split('\n').length).toBeGreaterThanOrEqual(3);
  });

  it('shows progress only where a person watches, and clears it', async () => {
    const { err } = await strata(['report', sample], { watched: true });
    expect(err).toContain('Unpacking');
    expect(err.endsWith('\r\u001b[K')).toBe(true);
  });

  it('is cancelled by Ctrl-C', async () => {
    expect((await strata(['report', sample], { signal: AbortSignal.abort() })).code).toBe(130);
  });
});

describe('strata serve', () => {
  afterEach(() => vi.unstubAllEnvs());

  function stubPages() {
    const pages = join(dirname(folder.write('beside', 'x')), 'pages');
    mkdirSync(pages, { recursive: true });
    writeFileSync(join(pages, 'index.html'), '<title>Strata</title>');
    vi.stubEnv('STRATA_PAGES', pages);
  }

  it('opens the file, prints the address on a line of its own and stops when asked to', async () => {
    stubPages();
    const stopping = new AbortController();
    const run = strata(['serve', '--no-open', sample], { signal: stopping.signal });
    setTimeout(() => stopping.abort(), 1500);
    const { code, out, err } = await run;
    expect(code).toBe(0);
    expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}\n$/);
    expect(err).toContain('Ctrl-C');
  });

  it('refuses a file that cannot be opened', async () => {
    stubPages();
    const { code, out, err } = await strata(['serve', '--no-open', '/no/such/file']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('file-not-found');
  });

  it('says what to do when the pages are not built', async () => {
    vi.stubEnv('STRATA_PAGES', '/no/such/folder');
    const { code, err } = await strata(['serve', '--no-open']);
    expect(code).toBe(1);
    expect(err).toContain('npm start');
  });

  it.each(['65536', '-1', 'x', '1.5'])('refuses the port %s', async (port) => {
    const { code, err } = await strata(['serve', `--port=${port}`]);
    expect(code).toBe(1);
    expect(err).toContain('port');
  });
});

describe('strata help record', () => {
  it('lists the guides, prints one by any of its names, and says which there are', async () => {
    vi.stubEnv('LC_ALL', 'en_GB.UTF-8');
    const list = await strata(['help', 'record']);
    expect(list).toMatchObject({ code: 0, err: '' });
    expect(list.out).toContain('nsight');
    const nsight = await strata(['help', 'record', 'nsys']);
    expect(nsight.out).toContain('nsys profile --trace=cuda --cuda-memory-usage=true');
    expect(nsight.out.split('\n').every((line) => line.length <= 100)).toBe(true);
    const unknown = await strata(['help', 'record', 'abacus']);
    expect(unknown).toMatchObject({ code: 1, out: '' });
    expect(unknown.err).toContain('abacus');
    expect(unknown.err).toContain('(no-such-guide)');
  });

  it('speaks the language of the terminal', async () => {
    vi.stubEnv('LC_ALL', 'zh_CN.UTF-8');
    expect((await strata(['help', 'record', 'gpus'])).out).toContain('GPU 记录');
    vi.unstubAllEnvs();
  });

  it('leaves the help of commands as it was', async () => {
    expect((await strata(['help', 'sample'])).out).toContain('--append');
    expect((await strata(['help'])).out).toContain('report');
  });

  it('refuses a topic there is no help on, and names those there are', async () => {
    const { code, out, err } = await strata(['help', 'abacus']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain("no help on 'abacus'");
    expect(err).toContain('record, report, diff');
  });
});

describe('strata', () => {
  it('prints its version and its help', async () => {
    expect((await strata(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    const { code, out } = await strata(['--help']);
    expect(code).toBe(0);
    expect(out).toContain('report');
  });

  it.each([[[]], [['nonsense']], [['report']], [['report', '--nonsense', 'x']], [['report', 'a', 'b']]])(
    'exits with 1 and says why for %j',
    async (args) => {
      const { code, err } = await strata(args);
      expect(code).toBe(1);
      expect(err).not.toBe('');
    },
  );
});

/** The names of all members; those of records that the capture names itself are left out. */
function keysOf(value: unknown): Set<string> {
  const keys = new Set<string>();
  const visit = (one: unknown, isOpen: boolean) => {
    if (Array.isArray(one)) for (const part of one) visit(part, false);
    else if (typeof one === 'object' && one !== null) {
      for (const [key, part] of Object.entries(one)) {
        if (!isOpen) keys.add(key);
        visit(part, key === 'settings');
      }
    }
  };
  visit(value, false);
  return keys;
}
