import type { ReactNode } from 'react';
import { DeviceMenu } from './device-menu.tsx';

export interface ViewHeaderProps {
  readonly title: string;
  /** The generated sentence that answers the view's question; announced when it changes. */
  readonly sentence: ReactNode;
  readonly controls?: ReactNode;
  /** A line runs below while an answer is on its way and the old picture stays. */
  readonly isBusy?: boolean;
}

/** The head of every view of a trace: title, answer in one sentence, device, controls. */
export function ViewHeader({ title, sentence, controls, isBusy = false }: ViewHeaderProps) {
  return (
    <header className="view-header" data-busy={isBusy || undefined}>
      <div className="view-header-words">
        <h1>{title}</h1>
        <p aria-live="polite">{sentence}</p>
      </div>
      <div className="view-header-controls">
        <DeviceMenu />
        {controls}
      </div>
    </header>
  );
}
