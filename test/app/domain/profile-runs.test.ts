import { describe, expect, it } from 'vitest';
import { bestFile, hostsOf, profileRuns } from '../../../app/domain/profile-runs.ts';

const file = (path: string, bytes = 10, modifiedMs: number | null = null) => ({ path, bytes, modifiedMs });
const named = (paths: readonly string[]) =>
  profileRuns(
    paths.map((path) => file(path)),
    'picked',
  );

describe('the runs in a folder', () => {
  it('are named by their folder below the log directory, newest first by the time in it', () => {
    const runs = named([
      'plugins/profile/2024_01_02_03_04_05/a.xplane.pb',
      'train/plugins/profile/2025_11_30_10_00_00/a.xplane.pb',
      'plugins/profile/2024_01_02_03_04_06/a.xplane.pb.gz',
      'events.out.tfevents.1',
      'plugins/profile/2024_01_02_03_04_05/a.overview_page.pb',
    ]);
    expect(runs.map(({ name }) => name)).toEqual([
      'train/2025_11_30_10_00_00',
      '2024_01_02_03_04_06',
      '2024_01_02_03_04_05',
    ]);
    expect(new Date(runs[2]?.timeMs ?? 0).getFullYear()).toBe(2024);
    expect(runs[2]?.bytes).toBe(10);
  });

  it('are found wherever in a log directory one points', () => {
    expect(named(['profile/run/a.xplane.pb'])[0]?.name).toBe('run');
    expect(named(['run/a.xplane.pb'])[0]?.name).toBe('run');
    expect(named(['a.xplane.pb'])[0]?.name).toBe('picked');
  });

  it('are ordered by when their files were written where no name says it', () => {
    const runs = profileRuns([file('old/a.xspace.pb', 1, 1000), file('new/a.xspace.pb', 1, 2000)], '');
    expect(runs.map(({ name, timeMs }) => [name, timeMs])).toEqual([
      ['new', 2000],
      ['old', 1000],
    ]);
  });

  it('have a file for each host, the one that tells most first', () => {
    const [run] = named(['r/b.memory_profile.json.gz', 'r/b.xplane.pb', 'r/a.memory_profile.json']);
    expect(run === undefined ? [] : hostsOf(run)).toEqual(['a', 'b']);
    expect(run && bestFile(run, 'b')?.format).toBe('xplane');
    expect(run && bestFile(run, 'a')?.format).toBe('memory-profile');
    expect(run && bestFile(run, 'c')).toBeUndefined();
  });

  it('are none where there is nothing that Strata opens', () => {
    expect(named(['plugins/profile/x/a.trace.json.gz', 'model.pt'])).toEqual([]);
    expect(named([])).toEqual([]);
  });
});
