import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../../app/contract/report.ts';
import { temporaryFolder } from '../engine/archives.ts';
import { strata } from './run-strata.ts';

const folder = temporaryFolder();
const captures = fileURLToPath(new URL('../../../../shared/captures/', import.meta.url));

async function reportOf(path: string): Promise<Report> {
  const { out, err } = await strata('report', '--json', path);
  expect(out, err).not.toBe('');
  return JSON.parse(out) as Report;
}

const ROWS = [
  'Thread,Time,Action,Pointer,Size,Stream',
  '7,10:00:00.000000,allocate,0x1000,1024,0',
  '7,10:00:00.000002,allocate,0x400000,4194304,0',
  '7,10:00:00.000003,allocate failure,(nil),99999999,0',
  '7,10:00:00.000004,free,0x1000,1024,0',
];

describe('a log of RMM', () => {
  it('says what was allocated and that what was free is not known', async () => {
    const report = await reportOf(folder.write('rmm.txt', `${ROWS.join('\n')}\n`));
    expect(report).toMatchObject({ format: 'rmm-log', complete: true, origin: null, has_clock: true });
    expect(report.devices[0]).toMatchObject({
      layout: 'blocks',
      events: 4,
      allocations: 2,
      peak: { allocated: { bytes: 4195328, event: 1, time_ns: 2000 } },
      final: { allocated: 4194304 },
      failures: [{ rounded: 99999999, device_free: null, free: null, largest_free: null }],
      fragmentation_at_peak: { pooled: { value: null, free: null } },
      top_at_peak: [{ bytes: 4195328, count: 2, site: 'thread-7' }],
    });
    const { out } = await strata('report', folder.write('rmm.txt', `${ROWS.join('\n')}\n`));
    expect(out).not.toContain('reserved ');
    expect(out).toContain('left on the device not known');
  });

  it('opens when it is packed, and names the line where it is damaged', async () => {
    const path = folder.write('rmm.csv.gz', gzipSync([...ROWS, 'garbage', '7,10:00:00.0000'].join('\n')));
    const { code, out } = await strata('report', '--json', path);
    expect(code).toBe(2);
    expect((JSON.parse(out) as Report).warnings.slice(0, 2)).toMatchObject([
      { code: 'capture-truncated', position: { line: 7 }, damage: true },
      { code: 'row-unreadable', position: { line: 6 }, damage: true },
    ]);
  });
});

describe('the format of our own', () => {
  it('shows totals alone where there are no addresses', async () => {
    const report = await reportOf(folder.write('pool.csv', 'action,bytes\nalloc,100\nalloc,50\nfree,100\n'));
    expect(report).toMatchObject({ format: 'generic-events', has_clock: false });
    expect(report.devices[0]).toMatchObject({
      layout: 'totals',
      peak: { allocated: { bytes: 150, event: 1, time_ns: null } },
      top_at_peak: [],
    });
    expect(report.warnings.map((warning) => warning.code)).toEqual(['no-addresses']);
  });

  it('knows what was free where there are rows for segments', async () => {
    const rows = ['action,address,bytes', 'segment_alloc,0x10000,4096', 'alloc,0x10000,1024', 'oom,,9999'];
    const report = await reportOf(folder.write('pool.csv', `${rows.join('\n')}\n`));
    expect(report.devices[0]).toMatchObject({
      layout: 'segments',
      failures: [{ rounded: 9999, free: 3072, largest_free: 3072, device_free: null }],
    });
  });
});

describe.skipIf(!existsSync(captures))('captures of real programs', () => {
  it('are read from the profiler traces of 2021, which have no addresses', async () => {
    const path = `${captures}kineto/kineto_2021-06_resnet50_v100_workers0_full.pt.trace.json.gz`;
    const report = await reportOf(path);
    expect(report).toMatchObject({
      format: 'kineto-trace',
      complete: true,
      origin: '2021-06-08T09:04:53.496Z',
      settings: { device_0: 'Tesla V100-DGXS-32GB', device_0_total_memory: '34084028416' },
    });
    // counted by a script of its own over the same file
    expect(report.devices).toMatchObject([
      { kind: 'cuda', layout: 'totals', events: 8220, peak: { allocated: { bytes: 2791636480 } } },
      { kind: 'host', layout: 'totals', events: 4618 },
    ]);
    expect(report.devices[0]?.final.allocated).toBe(0);
  });
});
