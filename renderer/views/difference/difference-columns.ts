import type { Change, SiteDifference } from '../../../app/domain/difference.ts';
import type { Column } from '../../charts/table-model.ts';
import type { Format } from '../../i18n/use-format.ts';

export type DifferenceColumn =
  | 'site'
  | 'change'
  | 'growth'
  | 'beforeBytes'
  | 'afterBytes'
  | 'moreBlocks'
  | 'beforeBlocks'
  | 'afterBlocks'
  | 'stack';

export interface DifferenceWords {
  readonly column: (name: DifferenceColumn) => string;
  readonly change: (change: Change) => string;
  readonly site: (one: SiteDifference) => string;
}

/** A row is a call stack. Exact values stand on hover and in exports. */
export function differenceColumns(
  sites: readonly SiteDifference[],
  format: Format,
  words: DifferenceWords,
): readonly Column[] {
  const of = (row: number) => sites[row] as SiteDifference;
  const bytes = (key: string, name: DifferenceColumn, value: (one: SiteDifference) => number): Column => ({
    key,
    label: words.column(name),
    group: '',
    width: 96,
    value: (row) => value(of(row)),
    text: (row) => format.bytes(value(of(row))),
    title: (row) => format.exact(value(of(row))),
  });
  const blocks = (key: string, name: DifferenceColumn, value: (one: SiteDifference) => number): Column => ({
    key,
    label: words.column(name),
    group: '',
    width: 76,
    value: (row) => value(of(row)),
    text: (row) => format.count(value(of(row))),
  });
  const growth = bytes('growth_bytes', 'growth', ({ before, after }) => after.bytes - before.bytes);
  const more = blocks('more_blocks', 'moreBlocks', ({ before, after }) => after.blocks - before.blocks);
  return [
    {
      key: 'site',
      label: words.column('site'),
      group: '',
      width: 150,
      isText: true,
      value: (row) => of(row).site,
      text: (row) => words.site(of(row)),
      title: (row) => of(row).stack.join('\n'),
    },
    {
      key: 'change',
      label: words.column('change'),
      group: '',
      width: 64,
      isText: true,
      value: (row) => of(row).change,
      text: (row) => words.change(of(row).change),
    },
    { ...growth, text: (row) => format.difference(Number(growth.value(row))) },
    bytes('before_bytes', 'beforeBytes', ({ before }) => before.bytes),
    bytes('after_bytes', 'afterBytes', ({ after }) => after.bytes),
    { ...more, text: (row) => signed(Number(more.value(row)), format) },
    blocks('before_blocks', 'beforeBlocks', ({ before }) => before.blocks),
    blocks('after_blocks', 'afterBlocks', ({ after }) => after.blocks),
    {
      key: 'stack',
      label: words.column('stack'),
      group: '',
      width: 160,
      isText: true,
      isCode: true,
      value: (row) => of(row).stack.join(' < '),
      text: (row) => of(row).stack[0] ?? '',
    },
  ];
}

const signed = (count: number, format: Format) => `${count > 0 ? '+' : ''}${format.count(count)}`;
