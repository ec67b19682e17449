import type { MomentRef } from '../../../app/contract/engine.ts';
import type { Address } from '../../../app/domain/units.ts';
import { useVisibleRange } from '../../charts/live.ts';
import { toPixel } from '../../charts/viewport.ts';
import { useQuery } from '../../engine/use-query.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import { STRIP_GAP, STRIP_WIDTH } from './map-size.ts';
import type { Addresses } from './use-map.ts';

interface Props {
  readonly addresses: Addresses;
  readonly width: number;
  readonly height: number;
}

interface Extent {
  readonly address: Address;
  readonly bytes: number;
  readonly region: string;
  readonly birth: MomentRef | null;
  readonly death: MomentRef | null;
}

/** A mark smaller than this could not be seen. */
const LEAST = 3;

/** The selected block or segment over its whole life, and its place in the strip. */
export function SelectedOutline({ addresses, width, height }: Props) {
  const { axis, mapRegion } = useActiveTrace();
  const range = useVisibleRange();
  const extent = useSelectedExtent();
  if (extent === null || extent.region !== mapRegion) return null;
  const offset = addresses.offsetOf(BigInt(extent.address));
  if (offset === null) return null;
  const at = (moment: MomentRef | null, otherwise: number) =>
    moment === null ? otherwise : toPixel(range, width, axis === 'event' ? moment.event : (moment.time ?? 0));
  const left = Math.max(-3, at(extent.birth, -3));
  const right = Math.min(width + 3, at(extent.death, width + 3));
  const top = toPixel(addresses.visible, height, offset);
  const tall = Math.max(LEAST, toPixel(addresses.visible, height, offset + extent.bytes) - top);
  if (top > height || top + tall < 0) return null;
  return (
    <>
      {right < left ? null : (
        <div
          className="selected-outline"
          style={{ left, top, width: Math.max(LEAST, right - left), height: tall }}
        />
      )}
      <div
        className="selected-outline"
        style={{ left: width + STRIP_GAP - 2, top, width: STRIP_WIDTH + 4, height: tall }}
      />
    </>
  );
}

function useSelectedExtent(): Extent | null {
  const { info, device, selection } = useActiveTrace();
  const on = { trace: info.trace, device };
  const block = useQuery('block', selection?.kind === 'block' ? { ...on, block: selection.block } : null);
  const segment = useQuery(
    'segment',
    selection?.kind === 'segment' ? { ...on, segment: selection.segment } : null,
  );
  const found = selection?.kind === 'block' ? block : segment;
  return found.isStale ? null : found.data;
}
