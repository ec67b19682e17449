import { describe, expect, it } from 'vitest';
import { locate } from '../../../main/engine/locate.ts';

describe('locating a file', () => {
  it('shows the signs in its name that would make it look like another, and keeps its path', () => {
    const path = '/captures/evil\u202egnp.log';
    const found = locate({ kind: 'path', path }, () => undefined);
    expect(found).toMatchObject({ name: 'evil\\u202egnp.log', path, shownPath: path });
  });

  it('does so for what a page handed over', () => {
    const upload = { path: '/tmp/1', name: 'a\u200b.csv', release() {} };
    expect(locate({ kind: 'upload', id: 'u1' }, () => upload).name).toBe('a\\u200b.csv');
  });
});
