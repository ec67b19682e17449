import type { ReactNode } from 'react';

/** One sentence why there is nothing to draw, and what to do about it. */
export function EmptyView({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty-view">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
