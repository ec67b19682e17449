import { describe, expect, it } from 'vitest';
import type { Report } from '../../../app/contract/report.ts';
import { temporaryFolder } from '../engine/archives.ts';
import { strata } from './run-strata.ts';

const folder = temporaryFolder();

const PREFIX = '2024-07-12 14:20:01.744246: I tensorflow/tsl/framework/bfc_allocator.cc:1095] ';
const DUMP = [
  'Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.50MiB (rounded to 1572864)requested by op a/MatMul',
  'Next region of size 4194304',
  'InUse at 7f5936000000 of size 1048576 next 1',
  'Free  at 7f5936100000 of size 1048576 next 2',
  'InUse at 7f5936200000 of size 2097152 next 3',
  'Sum Total of in-use chunks: 3.00MiB',
  'Total bytes in pool: 4194304 memory_limit_: 4194304 available bytes: 0 curr_region_allocation_bytes_: 8388608',
].map((line) => PREFIX + line);

describe('a log of TensorFlow', () => {
  it('shows the failed request, what was free, and every byte in one region', async () => {
    const { code, out } = await strata(
      'report',
      '--json',
      folder.write('train.txt', `epoch 1\n${DUMP.join('\n')}\n`),
    );
    expect(code).toBe(0);
    const report = JSON.parse(out) as Report;
    expect(report).toMatchObject({ format: 'tensorflow-log', complete: true, origin: null, warnings: [] });
    expect(report.devices[0]).toMatchObject({
      layout: 'segments',
      has_history: false,
      requests_known: false,
      final: { active: 3145728, reserved: 4194304 },
      regions: { immediate: { final: { reserved: 1048576 } }, pooled: { final: { reserved: 3145728 } } },
      failures: [{ rounded: 1572864, free: 1048576, largest_free: 1048576, device_free: 0 }],
    });
    expect(report.settings).toMatchObject({ 'GPU_0_bfc.memory_limit': '4194304' });
  });

  it('names the line behind which others are missing', async () => {
    const shortened = DUMP.filter((line) => !line.includes('Free')).join('\n');
    const { code, out } = await strata('report', '--json', folder.write('shortened.txt', shortened));
    expect(code).toBe(2);
    const [warning] = (JSON.parse(out) as Report).warnings;
    expect(warning).toMatchObject({ code: 'bfc-lines-missing', position: { line: 4 }, damage: true });
  });

  it('does not say what was free where the dump lacks lines or breaks off', async () => {
    const shortened = DUMP.filter((line) => !line.includes('Free'));
    const cut = DUMP.slice(0, DUMP.findIndex((line) => line.includes('Free')) + 1);
    for (const lines of [shortened, cut]) {
      const { out } = await strata('report', '--json', folder.write('damaged.txt', `${lines.join('\n')}\n`));
      const [device] = (JSON.parse(out) as Report).devices;
      expect(device?.failures).toMatchObject([{ rounded: 1572864, free: null, largest_free: null }]);
    }
  });
});
