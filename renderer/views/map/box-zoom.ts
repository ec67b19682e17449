import type { AddressWindow } from '../../charts/address-axis.ts';
import { toValue } from '../../charts/viewport.ts';
import type { Range } from '../../state/store.ts';

/** A drag over the map, in pixels. */
export interface Box {
  readonly from: { readonly x: number; readonly y: number };
  readonly to: { readonly x: number; readonly y: number };
}

/** A side shorter than this was not meant: the drag zooms the other axis only. */
const MEANT = 8;

/** The windows that a drawn box asks for; null where it says nothing about an axis. */
export function boxZoom(
  box: Box,
  range: Range,
  addresses: AddressWindow,
  width: number,
  height: number,
): { range: Range | null; addresses: AddressWindow | null } {
  const along = ends(box.from.x, box.to.x, width);
  const across = ends(box.from.y, box.to.y, height);
  return {
    range:
      along === null
        ? null
        : { from: toValue(range, width, along.low), to: toValue(range, width, along.high) },
    addresses:
      across === null
        ? null
        : { from: toValue(addresses, height, across.low), to: toValue(addresses, height, across.high) },
  };
}

function ends(one: number, other: number, most: number): { low: number; high: number } | null {
  const low = Math.min(Math.max(0, Math.min(one, other)), most);
  const high = Math.min(Math.max(0, Math.max(one, other)), most);
  return high - low < MEANT ? null : { low, high };
}
