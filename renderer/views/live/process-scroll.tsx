import type { ReactNode } from 'react';
import { useOverflow } from './use-overflow.ts';

/** A table of processes; however many there are, what stands below it stays in reach. */
export function ProcessScroll({ children }: { readonly children: ReactNode }) {
  const [place, isScrolling] = useOverflow<HTMLDivElement>();
  return (
    <div ref={place} className="process-scroll" tabIndex={isScrolling ? 0 : undefined}>
      {children}
    </div>
  );
}
