import type { ReactNode } from 'react';
import { Icon } from '../design/icons.tsx';

interface BannerProps {
  readonly tone: 'note' | 'caution' | 'critical';
  readonly children: ReactNode;
  readonly actions?: ReactNode;
}

/** A line above what it is about, with what can be done. */
export function Banner({ tone, children, actions }: BannerProps) {
  return (
    <section className={`banner banner-${tone}`} role={tone === 'critical' ? 'alert' : 'status'}>
      <Icon name={tone === 'note' ? 'note' : 'caution'} />
      <p>{children}</p>
      <div className="banner-actions">{actions}</div>
    </section>
  );
}
