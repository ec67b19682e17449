import { describe, expect, it } from 'vitest';
import { connectLines, WAYS } from '../../../../renderer/views/live-allocations/connect-lines.ts';

const usual = {
  address: 'unix:/run/user/1000/strata/allocations.sock',
  isUsual: true,
  pythonFolder: '/opt/My "apps"/python',
};

describe('the lines that connect a program', () => {
  it('name the module, and no address where the usual one is found anyway', () => {
    expect(connectLines('pytorch', usual)).toBe(
      [
        'import sys',
        'sys.path.insert(0, "/opt/My \\"apps\\"/python")',
        'import strata_live',
        'strata_live.watch_pytorch()',
      ].join('\n'),
    );
    for (const way of WAYS) expect(connectLines(way, usual)).not.toContain('unix:');
  });

  it('name the address where it is another one', () => {
    const other = { ...usual, address: 'tcp:127.0.0.1:4000:secret', isUsual: false };
    for (const way of WAYS) expect(connectLines(way, other)).toContain('tcp:127.0.0.1:4000:secret');
  });

  it('quote a folder with spaces in a command', () => {
    expect(connectLines('demo', usual)).toMatch(/^PYTHONPATH="\/opt\/My \\"apps\\"\/python" python3 -m/);
  });
});
