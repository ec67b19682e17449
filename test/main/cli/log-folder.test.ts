import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Report } from '../../../app/contract/report.ts';
import type { ServeOptions } from '../../../main/serve/index.ts';
import { runStrata } from './run-strata.ts';

const root = mkdtempSync(join(tmpdir(), 'strata-logs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const PROFILE = JSON.stringify({
  memoryProfilePerAllocator: {
    GPU_0_bfc: {
      memoryProfileSnapshots: [
        {
          timeOffsetPs: '1000',
          aggregationStats: { stackReservedBytes: '0', heapAllocatedBytes: '512', freeMemoryBytes: '1' },
          activityMetadata: { memoryActivity: 'ALLOCATION', allocationBytes: '512', address: '4096' },
        },
      ],
    },
  },
});

/** A log directory with one profile for each path. */
function logFolder(name: string, ...paths: readonly string[]): string {
  const folder = join(root, name);
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), PROFILE);
  }
  mkdirSync(folder, { recursive: true });
  return folder;
}

const strata = (args: readonly string[], serve: (options: ServeOptions) => Promise<void> = async () => {}) =>
  runStrata(args, { serve });

const several = () =>
  logFolder(
    'several',
    'plugins/profile/2024_05_01_10_00_00/one.memory_profile.json',
    'train/plugins/profile/2025_05_01_10_00_00/one.memory_profile.json',
    'train/plugins/profile/2025_05_01_10_00_00/two.memory_profile.json',
  );

describe('a log directory on the command line', () => {
  it('opens by itself when it holds one run of one host', async () => {
    const folder = logFolder('single', 'plugins/profile/run/host.memory_profile.json');
    const run = await strata(['report', folder, '--json']);
    expect(run.err).toBe('');
    const report = JSON.parse(run.out) as Report;
    expect(report.file).toBe(join(folder, 'plugins/profile/run/host.memory_profile.json'));
    expect(report.devices[0]?.layout).toBe('blocks');
  });

  it('lists its runs, newest first, with hosts, sizes and formats', async () => {
    const run = await strata(['report', several()]);
    expect(run.code).toBe(1);
    expect(run.out).toBe('');
    const lines = run.err.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, ' | '));
    expect(lines[0]).toBe('run | recorded | hosts | size | format');
    expect(lines[1]).toMatch(
      /^train\/2025_05_01_10_00_00 \| 2025-05-01 10:00 \| one, two \| \d+ B \| memory-profile$/,
    );
    expect(lines[2]).toMatch(/^2024_05_01_10_00_00 \| 2024-05-01 10:00 \| one \| \d+ B \| memory-profile$/);
    expect(run.err).toContain('--run train/2025_05_01_10_00_00');
    expect(run.err).toContain('(run-not-named)');
  });

  it('opens the run that is named, by its last part too, all of its hosts as one trace or one of them', async () => {
    const named = await strata(['report', several(), '--run', '2024_05_01_10_00_00', '--json']);
    expect((JSON.parse(named.out) as Report).format).toBe('tensorboard-memory-profile');
    const hosts = await strata(['report', several(), '--run', '2025_05_01_10_00_00', '--json']);
    expect((JSON.parse(hosts.out) as Report).devices).toHaveLength(2);
    const host = await strata([
      'report',
      several(),
      '--run',
      '2025_05_01_10_00_00',
      '--host',
      'two',
      '--json',
    ]);
    expect((JSON.parse(host.out) as Report).file).toMatch(/two\.memory_profile\.json$/);
  });

  it('refuses names that it does not have, and runs of what is no folder', async () => {
    const folder = several();
    expect((await strata(['report', folder, '--run', 'nope'])).err).toContain('(no-such-run)');
    const host = ['report', folder, '--run', '2024_05_01_10_00_00', '--host', 'nope'];
    expect((await strata(host)).err).toContain('(no-such-host)');
    const file = join(folder, 'plugins/profile/2024_05_01_10_00_00/one.memory_profile.json');
    expect((await strata(['report', file, '--run', 'x'])).err).toContain('(run-without-folder)');
  });

  it('is refused with one sentence when nothing in it is known', async () => {
    const folder = logFolder('nothing', 'models/model.pt');
    const run = await strata(['report', folder]);
    expect(run.code).toBe(1);
    expect(run.err).toContain(`${folder} is a folder without profiles.`);
    expect(run.err).toContain('(file-is-folder)');
    const sweep = await strata(['sweep', several()]);
    expect(sweep.err).toContain('(folder-of-runs)');
  });

  it('is not followed through links that lead back into it', async () => {
    const folder = logFolder('looped', 'plugins/profile/run/host.memory_profile.json');
    symlinkSync(folder, join(folder, 'plugins', 'again'), 'dir');
    expect((await strata(['report', folder])).code).toBe(0);
  });

  it('is handed to the page by serve, which opens what is the only choice itself', async () => {
    const served: ServeOptions[] = [];
    const serve = async (options: ServeOptions) => {
      served.push(options);
    };
    await strata(['serve', several()], serve);
    await strata(['serve', several(), '--run', '2024_05_01_10_00_00'], serve);
    await strata(['serve'], serve);
    expect(served.map(({ sources, folder }) => [sources.map(({ kind }) => kind).join(), folder])).toEqual([
      ['', several()],
      ['path', null],
      ['sample', null],
    ]);
  });
});
