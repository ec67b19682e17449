import { describe, expect, it } from 'vitest';
import { type Column, sortRows, toCsv, toJson } from '../../../renderer/charts/table-model.ts';

const column = (key: string, values: readonly (number | string | null)[]): Column => ({
  key,
  label: key,
  group: '',
  width: 100,
  value: (row) => values[row] ?? null,
  text: (row) => String(values[row]),
});

describe('a table', () => {
  const bytes = column('bytes', [30, null, 10, 30]);

  it('sorts both ways, keeps the order of equal rows, and puts unknown values last', () => {
    expect([...sortRows(4, bytes, false)]).toEqual([2, 0, 3, 1]);
    expect([...sortRows(4, bytes, true)]).toEqual([0, 3, 2, 1]);
    expect([...sortRows(4, undefined, true)]).toEqual([0, 1, 2, 3]);
  });

  it('exports exact values in the order on screen', () => {
    const names = column('name', ['a,b', 'plain', 'with "quotes"', 'd']);
    expect(toCsv([names, bytes], [2, 0, 1])).toBe(
      'name,bytes\r\n"with ""quotes""",10\r\n"a,b",30\r\nplain,\r\n',
    );
    expect(JSON.parse(toJson([names, bytes], [1, 0]))).toEqual([
      { name: 'plain', bytes: null },
      { name: 'a,b', bytes: 30 },
    ]);
  });
});
