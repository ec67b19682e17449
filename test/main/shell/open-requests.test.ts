import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesAmong, OpenRequests } from '../../../main/shell/open-requests.ts';

describe('captures that are asked for', () => {
  it('wait until the page listens, then arrive in order and once', () => {
    const requests = new OpenRequests();
    const arrived: (readonly string[])[] = [];
    requests.add(['/a']);
    requests.add(['/b', '/c']);
    requests.deliverTo((paths) => arrived.push(paths));
    expect(arrived).toEqual([['/a', '/b', '/c']]);
    requests.add(['/d']);
    expect(arrived).toEqual([['/a', '/b', '/c'], ['/d']]);
  });

  it('wait again while the page is loaded anew', () => {
    const requests = new OpenRequests();
    const arrived: (readonly string[])[] = [];
    requests.deliverTo((paths) => arrived.push(paths));
    requests.hold();
    requests.add(['/a']);
    expect(arrived).toEqual([]);
    requests.deliverTo((paths) => arrived.push(paths));
    expect(arrived).toEqual([['/a']]);
  });
});

describe('a command line', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'strata-files-'));
    writeFileSync(path.join(folder, 'one.pickle'), '');
    writeFileSync(path.join(folder, '-two.pickle'), '');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('names files relative to the folder it was typed in; options and missing files are none', () => {
    const argv = ['--inspect', '-two.pickle', 'missing.pickle', 'one.pickle', ''];
    expect(filesAmong(argv, folder, '/somewhere')).toEqual([path.join(folder, 'one.pickle')]);
  });

  it("names log directories too, but for the application's own folder", () => {
    expect(filesAmong(['.', folder], folder, '/somewhere')).toEqual([folder, folder]);
    expect(filesAmong(['.', folder, 'one.pickle'], folder, `${folder}/`)).toEqual([
      path.join(folder, 'one.pickle'),
    ]);
  });
});
