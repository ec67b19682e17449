import type { StateResult } from '../../../app/contract/engine.ts';
import { byteUnitOf, formatBytesIn, formatExactBytes } from '../../../app/domain/format.ts';
import type { Column } from '../../charts/table-model.ts';
import type { Words } from '../../charts/use-words.ts';

export interface SegmentRow {
  readonly segment: number;
  readonly address: string;
  readonly bytes: number;
  readonly active: number;
  readonly largest: number;
  readonly blocks: number;
  readonly holes: number;
}

/** The segments of one region, by address, with what their blocks leave free. */
export function segmentRows(
  state: StateResult,
  region: number,
  write: (address: bigint) => string,
): SegmentRow[] {
  const rows: SegmentRow[] = [];
  for (let at = 0; at < state.segmentAddress.length; at++) {
    if (state.segmentRegion[at] !== region) continue;
    const first = state.segmentFirstBlock[at] as number;
    const end = state.segmentFirstBlock[at + 1] as number;
    rows.push({
      segment: state.segmentRow[at] as number,
      address: write(state.segmentAddress[at] as bigint),
      bytes: state.segmentBytes[at] as number,
      active: state.segmentActive[at] as number,
      largest: state.segmentLargestFree[at] as number,
      blocks: end - first,
      holes: holesIn(state, first, end, state.segmentBytes[at] as number),
    });
  }
  return rows;
}

/** Stretches between blocks that lie by address. */
function holesIn(state: StateResult, first: number, end: number, bytes: number): number {
  let holes = 0;
  let reached = 0;
  for (let block = first; block < end; block++) {
    const offset = state.blockOffset[block] as number;
    if (offset > reached) holes++;
    reached = offset + (state.blockBytes[block] as number);
  }
  return reached < bytes ? holes + 1 : holes;
}

export function segmentColumns(words: Words, rows: readonly SegmentRow[]): Column[] {
  const bytes = (key: string, label: string, of: (row: SegmentRow) => number): Column => {
    const unit = byteUnitOf(rows.reduce((most, row) => Math.max(most, of(row)), 0));
    const at = (row: number) => of(rows[row] as SegmentRow);
    return {
      key: `${key}_bytes`,
      label: `${label}, ${unit}`,
      group: '',
      width: 110,
      value: at,
      text: (row) => formatBytesIn(at(row), unit, words.locale),
      title: (row) => formatExactBytes(at(row), words.locale),
    };
  };
  const count = (key: 'blocks' | 'holes'): Column => ({
    key,
    label: words.t(`segments.${key}`),
    group: '',
    width: 80,
    value: (row) => rows[row]?.[key] ?? null,
    text: (row) => words.count(rows[row]?.[key] ?? 0),
  });
  return [
    {
      key: 'address',
      label: words.t('segments.address'),
      group: '',
      width: 170,
      isText: true,
      isCode: true,
      value: (row) => rows[row]?.address ?? null,
      text: (row) => rows[row]?.address ?? '',
    },
    bytes('size', words.t('segments.size'), (row) => row.bytes),
    bytes('active', words.t('segments.active'), (row) => row.active),
    bytes('free', words.t('segments.free'), (row) => row.bytes - row.active),
    bytes('largest_free', words.t('segments.largest'), (row) => row.largest),
    count('blocks'),
    count('holes'),
  ];
}
