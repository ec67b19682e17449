import { useLayoutEffect, useRef } from 'react';
import { useLiveStore } from './live-store.ts';
import type { LiveData } from './use-live.ts';

/** Holds the picture or lets it go on; a table is of a held one. */
function toggleHeld({ window, refresh }: LiveData): void {
  const { heldAt, set } = useLiveStore.getState();
  set(heldAt === null ? { heldAt: window.to } : { heldAt: null, isTableOpen: false });
  refresh();
}

/** The lanes as a table, which holds the picture: rows that move cannot be read. */
export function toggleTable({ window, refresh }: LiveData): void {
  const { isTableOpen, heldAt, set } = useLiveStore.getState();
  set(
    isTableOpen ? { isTableOpen: false, heldAt: null } : { isTableOpen: true, heldAt: heldAt ?? window.to },
  );
  refresh();
}

/** Space holds the picture while sampling goes on; M marks the moment, T shows the table. */
export function useLiveKeys(live: LiveData, mark: () => void): void {
  const latest = useRef({ live, mark });
  latest.current = { live, mark };
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target instanceof HTMLElement ? event.target : null;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (target !== null && /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
      if (event.key === ' ' && target?.closest('button') != null) return; // presses it
      if (event.key === ' ') {
        toggleHeld(latest.current.live);
      } else if (event.key === 't') {
        toggleTable(latest.current.live);
      } else if (event.key === 'm') {
        latest.current.mark();
      } else {
        return;
      }
      event.preventDefault();
    };
    addEventListener('keydown', onKey, { capture: true });
    return () => removeEventListener('keydown', onKey, { capture: true });
  }, []);
}
