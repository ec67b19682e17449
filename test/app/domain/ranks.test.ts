import { describe, expect, it } from 'vitest';
import { distinctNames, groupRanks, rankOfName, ranksOf, setName } from '../../../app/domain/ranks.ts';

describe('the rank that a name tells', () => {
  it.each([
    ['rank3.pickle', 3],
    ['snapshot_rank-12.pickle.gz', 12],
    ['mem_r7.pickle', 7],
    ['trace.r0.json', 0],
    ['device_2_memory.json', 2],
    ['gpu5.csv', 5],
    ['node1_rank10.pt.trace.json', 10],
    ['frank3.pickle', null],
    ['driver3.json', null],
    ['trace.3.json', null],
    ['snapshot.pickle', null],
  ])('of %s is %s', (name, rank) => {
    expect(rankOfName(name)).toBe(rank);
  });

  it('is the number in which the names differ, where no word says more', () => {
    const files = ['trace.2.json', 'trace.10.json'].map((name) => ({ name, stated: null }));
    expect(ranksOf(files)).toEqual([2, 10]);
  });

  it('is what the file itself states first', () => {
    expect(ranksOf([{ name: 'rank0.json', stated: 4 }])).toEqual([4]);
  });

  it('is not known where names have nothing in common', () => {
    const files = ['a1.json', 'gpus.strata-gpu'].map((name) => ({ name, stated: null }));
    expect(ranksOf(files)).toEqual([null, null]);
  });
});

describe('files of one run', () => {
  it('are those whose names differ only in a number, in the order of their ranks', () => {
    const names = ['run.10.json', 'other.pickle', 'run.2.json', 'run.0.json'];
    expect(groupRanks(names)).toEqual([[3, 2, 0], [1]]);
  });

  it('are not steps or epochs of one program', () => {
    expect(groupRanks(['snap_step100.pickle', 'snap_step200.pickle'])).toEqual([[0], [1]]);
  });

  it('may differ in other numbers too where each names its rank', () => {
    expect(groupRanks(['node0_rank0_171.json', 'node0_rank1_185.json', 'node1_rank2_166.json'])).toEqual([
      [0, 1, 2],
    ]);
  });

  it('are not of different formats', () => {
    expect(groupRanks(['rank0.pickle', 'rank1.json'])).toEqual([[0], [1]]);
  });

  it('are never in two groups', () => {
    const names = ['a1b1.x', 'a1b2.x', 'a2b1.x', 'a2b2.x'];
    expect(groupRanks(names).flat().sort()).toEqual([0, 1, 2, 3]);
  });

  it('are not years', () => {
    expect(groupRanks(['log-20251130.txt', 'log-20251201.txt'])).toEqual([[0], [1]]);
  });
});

describe('the name of a set', () => {
  it('names its files as far as a line has room', () => {
    expect(setName(['a.json'])).toBe('a.json');
    expect(setName(['a.json', 'b.json'])).toBe('a.json + b.json');
    expect(setName(['a.json', 'b.json', 'c.json'])).toBe('a.json + 2');
  });
});

describe('names side by side', () => {
  it('are as long as it takes to tell them apart', () => {
    expect(distinctNames(['/run/a.json', '/run/b.json'])).toEqual(['a.json', 'b.json']);
    expect(distinctNames(['/run/rank0/s.pickle', 'C:\\run\\rank1\\s.pickle'])).toEqual([
      'rank0/s.pickle',
      'rank1/s.pickle',
    ]);
    expect(distinctNames(['s.pickle', 's.pickle'])).toEqual(['s.pickle', 's.pickle (2)']);
  });

  it('tell the rank by their folder', () => {
    const files = distinctNames(['/a/rank0/s.pickle', '/a/rank1/s.pickle']).map((name) => ({
      name,
      stated: null,
    }));
    expect(ranksOf(files)).toEqual([0, 1]);
  });
});
