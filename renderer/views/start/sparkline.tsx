import type { Recent } from '../../state/recents.ts';

const WIDTH = 150;
const HEIGHT = 28;
const TOP = 3;
const BASE = 27;

/** Reserved and active over the whole trace; a bar for a trace of one instant. */
export function Sparkline({ recent }: { readonly recent: Recent }) {
  const area = `var(--${recent.region}-area)`;
  if (recent.reserved.length <= 1) {
    return (
      <svg
        className="sparkline"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        aria-hidden="true"
        preserveAspectRatio="none"
      >
        <rect y="8" width={WIDTH} height="12" rx="2" fill="var(--free)" />
        <rect y="8" width={WIDTH * (recent.active[0] ?? 0)} height="12" rx="2" fill={area} />
      </svg>
    );
  }
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      aria-hidden="true"
      preserveAspectRatio="none"
    >
      <path d={areaPath(recent.reserved)} fill="var(--free)" />
      <path d={areaPath(recent.active)} fill={area} />
      <path
        d={linePath(recent.reserved)}
        fill="none"
        stroke="var(--ink-2)"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

/** Steps: each point holds for its share of the width. */
export function linePath(shares: readonly number[]): string {
  const step = WIDTH / shares.length;
  return shares
    .map((share, at) => {
      const y = (BASE - share * (BASE - TOP)).toFixed(1);
      return `${at === 0 ? `M0,${y}` : `V${y}`}H${((at + 1) * step).toFixed(1)}`;
    })
    .join('');
}

export function areaPath(shares: readonly number[]): string {
  return `${linePath(shares)}V${BASE}H0Z`;
}
