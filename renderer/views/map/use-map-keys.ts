import { useLayoutEffect, useRef } from 'react';
import { neighbourBlock } from '../../charts/instant-strip.ts';
import { siteName } from '../../charts/site-name.ts';
import { useWords } from '../../charts/use-words.ts';
import { clampInto, panBy, span, zoomAt } from '../../charts/viewport.ts';
import { useQuery } from '../../engine/use-query.ts';
import { useActiveTrace, useUpdateTrace } from '../../state/active-trace.ts';
import type { Addresses, Instant, MapLook } from './use-map.ts';

const SMALLEST_BYTES = 512;

/**
 * Keys of the Map: up and down walk the blocks at the cursor by address, with Shift they pan the addresses, and
 * Shift W and Shift S zoom them, as W and S zoom time. They work wherever no other control needs them.
 */
export function useMapKeys(
  addresses: Addresses | null,
  instant: Instant | null,
  look: MapLook,
): { readonly announcement: string } {
  const { selection } = useActiveTrace();
  const update = useUpdateTrace();
  const selected = selection?.kind === 'block' ? selection.block : null;
  const walk = (step: 1 | -1) => {
    if (instant === null || addresses === null) return;
    const block = neighbourBlock(instant.marks, instant.state, selected, step);
    if (block === null) return;
    update({ selection: { kind: 'block', block } });
    reveal(addresses, instant, block);
  };
  const handle = useRef<(event: KeyboardEvent) => boolean>(() => false);
  useLayoutEffect(() => {
    handle.current = (event) => onKey(event, addresses, walk);
  });
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (isFree(event.target) && !event.defaultPrevented && handle.current(event)) event.preventDefault();
    };
    addEventListener('keydown', listen, { capture: true });
    return () => removeEventListener('keydown', listen, { capture: true });
  }, []);
  return { announcement: useAnnouncement(selected, look) };
}

/** Controls, and scrolling panes, that have a use of their own for these keys. */
const BUSY =
  'input, textarea, select, [role=slider], [role=separator], [role=radiogroup], [role=menu], [role=dialog], aside';

function isFree(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest(BUSY) === null;
}

function onKey(event: KeyboardEvent, addresses: Addresses | null, walk: (step: 1 | -1) => void): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || addresses === null) return false;
  const { visible, full, setVisible } = addresses;
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    const direction = event.key === 'ArrowDown' ? 1 : -1;
    if (event.shiftKey) setVisible(panBy(visible, 0.2 * direction * span(visible), full));
    else walk(direction);
    return true;
  }
  if (!event.shiftKey || !/^[ws]$/i.test(event.key)) return false;
  const middle = (visible.from + visible.to) / 2;
  setVisible(zoomAt(visible, middle, event.key.toLowerCase() === 'w' ? 0.5 : 2, full, SMALLEST_BYTES));
  return true;
}

/** Moves the visible addresses as little as possible, so that a block can be seen. */
function reveal(addresses: Addresses, { marks, state }: Instant, block: number): void {
  const at = marks.blockIndex.findIndex((index) => state.blockRow[index] === block);
  const { visible, full, setVisible } = addresses;
  const from = marks.blockFrom[at];
  if (from === undefined || (from >= visible.from && from < visible.to)) return;
  const length = span(visible);
  const start = from < visible.from ? from - length * 0.1 : from - length * 0.9;
  setVisible(clampInto({ from: start, to: start + length }, full));
}

function useAnnouncement(selected: number | null, look: MapLook): string {
  const { info, device } = useActiveTrace();
  const words = useWords();
  const { data } = useQuery(
    'block',
    selected === null ? null : { trace: info.trace, device, block: selected },
  );
  if (data === null) return '';
  const isRanked = data.site < look.sites.length - 1;
  return words.t('map.selectedOf', {
    bytes: words.bytes(data.bytes),
    site: isRanked ? siteName(words, look.sites, data.site) : data.siteName,
    address: data.address,
  });
}
