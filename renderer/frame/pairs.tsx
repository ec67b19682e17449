import type { ReactNode } from 'react';

export interface Pair {
  readonly label: string;
  readonly value: ReactNode;
  /** The exact value, on hover and when copied. */
  readonly exact?: string;
  readonly isAnswer?: boolean;
  /** Why the value is what it is, on hover. */
  readonly reason?: string;
}

/** Names and values, line by line; null draws a rule. */
export function Pairs({ pairs }: { readonly pairs: readonly (Pair | null)[] }) {
  return (
    <dl className="pairs">
      {pairs.map((pair, at) =>
        pair === null ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: rules have nothing but their place
          <div className="rule" key={at} aria-hidden="true" />
        ) : (
          <PairRow key={pair.label} pair={pair} />
        ),
      )}
    </dl>
  );
}

function PairRow({ pair }: { readonly pair: Pair }) {
  const title = [pair.exact, pair.reason].filter((part) => part !== undefined).join(' · ');
  return (
    <>
      <dt>{pair.label}</dt>
      <dd title={title === '' ? undefined : title}>{pair.isAnswer ? <b>{pair.value}</b> : pair.value}</dd>
    </>
  );
}

/** For the clipboard: one pair a line, exact values. */
export function pairsText(pairs: readonly (Pair | null)[]): string {
  return pairs
    .filter((pair) => pair !== null)
    .map((pair) => `${pair.label}\t${pair.exact ?? (typeof pair.value === 'string' ? pair.value : '')}`)
    .join('\n');
}
