import { type ReactNode, useId } from 'react';
import { Icon, type IconName } from '../../design/icons.tsx';

export interface CardProps {
  readonly title: string;
  readonly badge?: ReactNode;
  /** Opens the view that proves it. */
  readonly proof?: { readonly label: string; readonly onOpen: () => void };
  /** Columns of twelve. */
  readonly span: 4 | 8 | 12;
  readonly children: ReactNode;
}

export function Card({ title, badge, proof, span, children }: CardProps) {
  const id = useId();
  return (
    <section className={`card fact fact-${span}`} aria-labelledby={id}>
      <div className="fact-head">
        <h2 id={id}>{title}</h2>
        {badge}
      </div>
      {children}
      {proof === undefined ? null : (
        <button type="button" className="go" onClick={proof.onOpen}>
          {proof.label}
          <Icon name="arrow" />
        </button>
      )}
    </section>
  );
}

export type Tone = 'good' | 'caution' | 'critical' | 'note';

const ICONS: Readonly<Record<Tone, IconName>> = {
  good: 'good',
  caution: 'caution',
  critical: 'failure',
  note: 'note',
};

/** A state has a shape as well as a colour. */
export function Pill({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={`pill ${tone}`}>
      <Icon name={ICONS[tone]} />
      {children}
    </span>
  );
}
