import type { RegionMoment } from '../../../app/contract/engine.ts';
import type { Bytes } from '../../../app/domain/units.ts';

/** Free memory by the size of its holes, as columns of powers of two, with room for the size that matters. */
export interface HoleColumns {
  /** Exponent of the first column: 2^exponent bytes. */
  readonly first: number;
  readonly columns: readonly { readonly bytes: Bytes; readonly count: number }[];
  /** Where a request of the given size stands, in columns from the left; null without one. */
  readonly mark: number | null;
}

/** Fewer would look like a block rather than a distribution. */
const FEWEST = 6;
const MOST = 12;

export function holeColumns(classes: RegionMoment['holeClasses'], size: Bytes | null): HoleColumns {
  const exponents = classes.map((one) => one.exponent);
  if (size !== null && size > 0) exponents.push(Math.floor(Math.log2(size)));
  const last = Math.max(...exponents, 20);
  const low = Math.min(...exponents, last);
  // What is smaller than the smallest column shown is added to it: it holds few bytes, and the count stays whole.
  const first = Math.max(Math.min(low, last - FEWEST + 1), last - MOST + 1);
  const columns = Array.from({ length: last - first + 1 }, () => ({ bytes: 0, count: 0 }));
  for (const one of classes) {
    const column = columns[Math.max(0, one.exponent - first)];
    if (column === undefined) continue;
    column.bytes += one.bytes;
    column.count += one.count;
  }
  return { first, columns, mark: size !== null && size > 0 ? Math.max(0, Math.log2(size) - first) : null };
}
