import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../engine/archives.ts';
import { memoryProfile, type ProfileSample } from './profiles.ts';
import { strata } from './run-strata.ts';

const folder = temporaryFolder();
const sample = (name: string) =>
  fileURLToPath(new URL(`../../../app/samples/${name}.pickle.gz`, import.meta.url));

function profile(name: string, samples: readonly ProfileSample[]): string {
  return folder.write(name, gzipSync(memoryProfile(samples)));
}

const EARLY: readonly ProfileSample[] = [
  { stack: ['init', 'main'], bytes: 4096, buffers: 2 },
  { stack: ['step', 'main'], bytes: 1000, buffers: 1 },
  { stack: ['load', 'main'], bytes: 300, buffers: 3 },
];
const LATE: readonly ProfileSample[] = [
  { stack: ['step', 'main'], bytes: 5000, buffers: 5 },
  { stack: ['init', 'main'], bytes: 4096, buffers: 2 },
  { stack: ['cache', 'step', 'main'], bytes: 64, buffers: 1, device: 'cuda:0' },
  { stack: ['init', 'main'], bytes: 10, buffers: 1, device: 'cuda:1' },
];

interface DiffJson {
  readonly at: string;
  readonly before: { readonly format: string };
  readonly devices: readonly {
    readonly allocator: string | null;
    readonly before: { readonly bytes: number; readonly event: number | null };
    readonly delta: { readonly bytes: number; readonly blocks: number };
    readonly unchanged: { readonly sites: number };
    readonly sites: readonly {
      readonly change: string;
      readonly delta: { readonly bytes: number; readonly blocks: number };
      readonly stack: readonly string[];
    }[];
  }[];
}

describe('strata diff', () => {
  it('lists what two JAX profiles hold more and less, exactly', async () => {
    const run = await strata('diff', profile('a.prof', EARLY), profile('b.prof', LATE), '--json');
    expect(run.err).toBe('');
    expect(run.code).toBe(0);
    const json = JSON.parse(run.out) as DiffJson;
    expect(json.before.format).toBe('jax-memory-profile');
    const [first, second] = json.devices;
    expect(first?.allocator).toBe('cuda:0');
    expect(first?.delta).toEqual({ bytes: 5000 + 64 - 1000 - 300, blocks: 8 - 6 });
    expect(first?.unchanged.sites).toBe(1);
    expect(
      first?.sites.map(({ change, delta, stack }) => [change, delta.bytes, delta.blocks, stack]),
    ).toEqual([
      ['grown', 4000, 4, ['step (train.py:115)', 'main (train.py:109)']],
      ['new', 64, 1, ['cache (train.py:99)', 'step (train.py:115)', 'main (train.py:109)']],
      ['gone', -300, -3, ['load (train.py:108)', 'main (train.py:109)']],
    ]);
    expect(second?.before).toEqual({ event: null, time_ns: null, bytes: 0, blocks: 0 });
    expect(second?.delta).toEqual({ bytes: 10, blocks: 1 });
  });

  it('says the same in text, growth first', async () => {
    const files = [profile('a.prof', EARLY), profile('b.prof', LATE)] as const;
    const run = await strata('diff', ...files, '--device', '0');
    const other = await strata('diff', ...files, '--device', '1');
    expect(other.out).toMatch(/change +\+10 B +\+10 B +\+1 block\n/);
    expect(run.out).toContain('device 0 unknown   cuda:0');
    expect(run.out).toMatch(/change +\+4 KiB +\+3,764 B +\+2 blocks/);
    expect(run.out).toMatch(
      /\+4 KiB \(\+4,000 B\) {3}grown {3}train\.py:115 {3}\(1,000 B in 1 → 5 KiB in 5\)/,
    );
    expect(run.out.indexOf('grown   train.py')).toBeLessThan(run.out.indexOf('gone   train.py'));
    expect(run.out).not.toContain('cuda:1');
  });

  it('finds nothing between a capture and itself, at its peak and at its end', async () => {
    for (const at of ['peak', 'end']) {
      const file = sample('training-step');
      const json = JSON.parse((await strata('diff', file, file, '--at', at, '--json')).out) as DiffJson;
      expect(json.devices[0]?.sites).toEqual([]);
      expect(json.devices[0]?.unchanged.sites).toBeGreaterThan(0);
    }
  });

  it('adds up to the totals of the reports', async () => {
    const files = [sample('training-step'), sample('expandable-segments')] as const;
    const peaks = await Promise.all(
      files.map(async (file) => {
        const report = JSON.parse((await strata('report', file, '--json')).out);
        return report.devices[0].peak.allocated.bytes as number;
      }),
    );
    const json = JSON.parse((await strata('diff', ...files, '--json')).out) as DiffJson;
    const device = json.devices[0];
    expect(device?.before.bytes).toBe(peaks[0]);
    expect(device?.delta.bytes).toBe((peaks[1] ?? 0) - (peaks[0] ?? 0));
    expect(device?.sites.reduce((sum, { delta }) => sum + delta.bytes, 0)).toBe(device?.delta.bytes);
  });

  it('refuses totals of which nobody knows who holds them, and names the file that it cannot open', async () => {
    const totals = folder.write('totals.csv', 'action,bytes\nalloc,100\nfree,40\n');
    const unknown = await strata('diff', totals, totals);
    expect(unknown.code).toBe(1);
    expect(unknown.err).toContain('owners-unknown');
    expect(unknown.err).not.toContain('Compare at the peak');
    const missing = await strata('diff', sample('training-step'), 'nowhere.prof');
    expect(missing.code).toBe(1);
    expect(missing.err).toContain('nowhere.prof');
  });
});
