import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differenceOf, type HolderTable, pairDevices } from '../../../app/domain/difference.ts';

function table(...rows: readonly (readonly [stack: string, bytes: number, blocks: number])[]): HolderTable {
  const frames = [...new Set(rows.flatMap(([stack]) => stack.split(' ').filter((line) => line !== '')))];
  return {
    frames,
    holders: rows.map(([stack, bytes, blocks]) => ({
      bytes,
      blocks,
      site: stack.split(' ')[0] ?? '',
      kind: stack === '' ? 'unknown' : 'site',
      stack: stack
        .split(' ')
        .filter((line) => line !== '')
        .map((line) => frames.indexOf(line)),
    })),
  };
}

const shown = ({ sites }: ReturnType<typeof differenceOf>) =>
  sites.map(({ change, site, before, after }) => `${change} ${site} ${after.bytes - before.bytes}`);

describe('the difference of two tables of call stacks', () => {
  it('says what is new, grown, shrunk and gone, by growth', () => {
    const before = table(['a main', 100, 1], ['b main', 50, 1], ['c main', 70, 2], ['same', 5, 1]);
    const after = table(['same', 5, 1], ['c main', 30, 1], ['d', 20, 4], ['a main', 300, 2]);
    const difference = differenceOf(before, after);
    expect(shown(difference)).toEqual(['grown a 200', 'new d 20', 'shrunk c -40', 'gone b -50']);
    expect(difference.before).toEqual({ bytes: 225, blocks: 5 });
    expect(difference.after).toEqual({ bytes: 355, blocks: 8 });
    expect(difference.changed.grown).toEqual({ sites: 1, bytes: 200 });
    expect(difference.unchanged).toEqual({ sites: 1, bytes: 5, blocks: 1 });
  });

  it('matches stacks by all of their frames, whatever their rows are', () => {
    const before = table(['x', 1, 1], ['f g', 10, 1], ['f h', 10, 1]);
    const after = table(['f h', 15, 1], ['f g', 10, 1], ['x', 1, 1]);
    expect(shown(differenceOf(before, after))).toEqual(['grown f 5']);
  });

  it('counts more blocks of the same bytes as growth', () => {
    expect(shown(differenceOf(table(['a', 8, 1]), table(['a', 8, 2])))).toEqual(['grown a 0']);
    expect(shown(differenceOf(table(['a', 8, 2]), table(['a', 8, 1])))).toEqual(['shrunk a 0']);
  });

  it('keeps memory without a stack apart from all others', () => {
    expect(shown(differenceOf(table(['', 8, 1]), table(['', 10, 1], ['a', 1, 1])))).toEqual([
      'grown  2',
      'new a 1',
    ]);
  });

  it('adds up to the change of the totals, whatever the tables are', () => {
    const rows = fc.array(
      fc.tuple(fc.constantFrom('a', 'b', 'a b', 'b a', 'c', ''), fc.nat(1e9), fc.integer({ min: 1, max: 9 })),
    );
    fc.assert(
      fc.property(rows, rows, (before, after) => {
        const { sites, changed, ...totals } = differenceOf(table(...before), table(...after));
        const growth = totals.after.bytes - totals.before.bytes;
        expect(sites.reduce((sum, one) => sum + one.after.bytes - one.before.bytes, 0)).toBe(growth);
        expect(Object.values(changed).reduce((sum, { bytes }) => sum + bytes, 0)).toBe(growth);
        const held = sites.reduce((sum, one) => sum + one.after.bytes, totals.unchanged.bytes);
        expect(held).toBe(totals.after.bytes);
        const growths = sites.map((one) => one.after.bytes - one.before.bytes);
        expect(growths).toEqual([...growths].sort((one, other) => other - one));
      }),
    );
  });
});

describe('the devices of two captures', () => {
  const gpu = (ordinal: number, allocator: string | null = null) => ({ ordinal, kind: 'cuda', allocator });

  it('are the same by the name of their allocator', () => {
    const pairs = pairDevices([gpu(0, 'cuda:1'), gpu(1, 'cuda:0')], [gpu(0, 'cuda:0')]);
    expect(pairs).toEqual([
      { before: 1, after: 0 },
      { before: 0, after: null },
    ]);
  });

  it('are the same by kind and ordinal where one has no name', () => {
    const host = { ordinal: 0, kind: 'host', allocator: null };
    expect(pairDevices([host, gpu(0)], [gpu(0, 'GPU_0_bfc'), gpu(3)])).toEqual([
      { before: 1, after: 0 },
      { before: null, after: 1 },
      { before: 0, after: null },
    ]);
  });
});
