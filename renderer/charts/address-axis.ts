import { tickStep } from 'd3';
import type { FoldedRange } from '../../app/contract/engine.ts';
import { BYTE_UNITS, type ByteUnit, bytesPer, formatNumber, type Locale } from '../../app/domain/format.ts';
import type { Address } from '../../app/domain/units.ts';

/**
 * The folded address axis of a region: the addresses it ever used, one range behind the other, low addresses at the
 * top. Offsets are bytes on this axis; addresses are exact.
 */
export interface AddressWindow {
  readonly from: number;
  readonly to: number;
}

export function foldedBytes(ranges: readonly FoldedRange[]): number {
  const last = ranges.at(-1);
  return last === undefined ? 0 : last.offset + last.bytes;
}

/** The range that an offset lies in; the last one for what is beyond. */
export function rangeAt(ranges: readonly FoldedRange[], offset: number): FoldedRange | undefined {
  let low = 0;
  let high = ranges.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((ranges[middle] as FoldedRange).offset <= offset) low = middle;
    else high = middle - 1;
  }
  return ranges[low];
}

export function addressOf(ranges: readonly FoldedRange[], offset: number): Address | null {
  const range = rangeAt(ranges, offset);
  if (range === undefined) return null;
  const within = Math.min(Math.max(0, Math.floor(offset - range.offset)), range.bytes - 1);
  return `0x${(BigInt(range.address) + BigInt(within)).toString(16)}`;
}

/** Reads addresses onto the axis; made once per list of ranges because parsing addresses is dear. */
export function folder(ranges: readonly FoldedRange[]): (address: bigint) => number | null {
  const starts = ranges.map((range) => BigInt(range.address));
  return (address) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as bigint) <= address) low = middle;
      else high = middle - 1;
    }
    const range = ranges[low];
    const start = starts[low];
    if (range === undefined || start === undefined || address < start) return null;
    const within = Number(address - start);
    return within <= range.bytes ? range.offset + within : null;
  };
}

export interface AddressTick {
  readonly y: number;
  readonly label: string;
}

export interface RangeMark {
  readonly y: number;
  readonly address: Address;
  /** Between two ranges; the first one needs no line above it. */
  readonly hasLine: boolean;
  /** There is room for its name. */
  readonly isNamed: boolean;
}

export interface AddressAxis {
  readonly ticks: readonly AddressTick[];
  readonly ranges: readonly RangeMark[];
  /** Empty stretches between the ranges. */
  readonly folds: number;
}

/** Space a name and the dashed line need. */
const NAME_HEIGHT = 34;
/** The first name says below it how many gaps were folded. */
const NOTE_HEIGHT = 30;
/** More ranges than this are neither named nor separated one by one. */
const MOST_LINES = 24;

export function addressAxis(
  ranges: readonly FoldedRange[],
  view: AddressWindow,
  height: number,
  locale: Locale,
): AddressAxis {
  const yOf = (offset: number) => ((offset - view.from) / (view.to - view.from)) * height;
  const visible = ranges.filter((range) => range.offset < view.to && range.offset + range.bytes > view.from);
  const marks: RangeMark[] = [];
  const areFew = visible.length <= MOST_LINES;
  let free = Number.NEGATIVE_INFINITY;
  for (const range of visible) {
    const y = Math.max(0, yOf(range.offset));
    const isNamed = (areFew || marks.length === 0) && y >= free && y < height - NAME_HEIGHT;
    if (isNamed) free = y + NAME_HEIGHT + (marks.length === 0 && ranges.length > 1 ? NOTE_HEIGHT : 0);
    const hasLine = range.offset > view.from && areFew;
    if (isNamed || hasLine) marks.push({ y, address: range.address, hasLine, isNamed });
  }
  return {
    ticks: offsetTicks(visible, view, height, yOf, marks, locale),
    ranges: marks,
    folds: ranges.length - 1,
  };
}

/** "+400 MiB", with no more decimals than the step needs. */
function offsetLabel(bytes: number, step: number, unit: ByteUnit, locale: Locale): string {
  const decimals = Math.min(3, Math.max(0, Math.ceil(-Math.log10(step / bytesPer(unit)) - 1e-9)));
  return `+${formatNumber(bytes / bytesPer(unit), decimals, locale)} ${unit}`;
}

/**
 * Ticks count from the start of their range while there are few ranges, else from the start of the axis: "+400 MiB".
 */
function offsetTicks(
  visible: readonly FoldedRange[],
  view: AddressWindow,
  height: number,
  yOf: (offset: number) => number,
  names: readonly RangeMark[],
  locale: Locale,
): AddressTick[] {
  const bases = visible.length <= MOST_LINES ? visible : [{ offset: 0, bytes: view.to }];
  const length = view.to - view.from;
  const unit = BYTE_UNITS.findLast((one) => length >= bytesPer(one)) ?? 'B';
  const step = Math.max(1, tickStep(0, length / bytesPer(unit), Math.max(2, height / 80)) * bytesPer(unit));
  const write = (bytes: number) => offsetLabel(bytes, step, unit, locale);
  const ticks: AddressTick[] = [];
  for (const base of bases) {
    const end = Math.min(view.to, base.offset + base.bytes);
    const first = Math.max(1, Math.ceil((view.from - base.offset) / step));
    for (let index = first; base.offset + index * step <= end; index++) {
      const y = yOf(base.offset + index * step);
      const isClear = names.every((mark) => !mark.isNamed || y < mark.y - 8 || y > mark.y + NAME_HEIGHT - 8);
      const isApart = y - (ticks.at(-1)?.y ?? -100) > 20;
      if (isClear && isApart && y < height - 4) ticks.push({ y, label: write(index * step) });
    }
  }
  return ticks;
}
