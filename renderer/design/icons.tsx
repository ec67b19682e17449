/** Icons on a 16 px grid, 1.4 px stroke, drawn for this product. */
const PATHS = {
  start: 'M2.5 7.5 8 3l5.5 4.5M4 6.5V13h8V6.5',
  overview: 'M2.5 2.5h4.7v6H2.5zM8.8 2.5h4.7v3.6H8.8zM2.5 10.1h4.7v3.4H2.5zM8.8 7.7h4.7v5.8H8.8z',
  timeline: 'M1.5 12.5h13M2 10.5l3-4 2.5 2L10.5 3.5l3.5 4.5',
  map: 'M2.5 2.5h11v11h-11zM2.5 6.2h7M6 9.8h7.5M9.5 2.5v7.3M6 6.2v7.3',
  whatIf: 'M3 13V3M3 9.500c0-3 2.500-3 4.500-3H13M10.500 4 13 6.500 10.500 9M3 13h9.500',
  readings: 'M2 2.5v11h12M4.5 10.500V8M7.5 10.500V5M10.5 10.500V6.500M13.500 10.500V3.500',
  live: 'M1.5 8.5h3l1.8-5 3 9.500 2-6 1 1.500h2.200',
  settings:
    'M2 4.5h7M12.5 4.5H14M2 11.5h2M7.5 11.5H14M9 4.5a1.75 1.75 0 1 0 3.5 0a1.75 1.75 0 1 0-3.5 0M4 11.5a1.75 1.75 0 1 0 3.5 0a1.75 1.75 0 1 0-3.5 0',
  failure: 'M5.3 2h5.4L14 5.3v5.4L10.7 14H5.3L2 10.7V5.3zM8 5v3.6M8 11v.1',
  record: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 10a2 2 0 1 0 0-4a2 2 0 0 0 0 4z',
  together: 'M2.500 2.500h7.500v7.500H2.500zM6 6h7.500v7.500H6z',
  plus: 'M8 3v10M3 8h10',
  close: 'M4.5 4.500l7 7M11.5 4.500l-7 7',
  open: 'M2 12.5v-9h4l1.5 2H14v7zM2 8h12',
  good: 'M3 8.5 6.5 12 13 4.5',
  caution: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 12v.1',
  note: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.500v3.500M8 5v.1',
  missing: 'M4 4l8 8M12 4l-8 8',
  down: 'M3.5 6 8 10.5 12.5 6',
  right: 'M6 3.5 10.5 8 6 12.5',
  table: 'M2 3h12v10H2zM2 6.5h12M2 9.8h12M6.5 6.5V13',
  trace:
    'M4.5 4.5h7v7h-7zM6.5 2v2.500M9.5 2v2.500M6.5 11.500V14M9.5 11.500V14M2 6.500h2.500M2 9.500h2.500M11.5 6.500H14M11.5 9.500H14',
  arrow: 'M3 8h10M9 4l4 4-4 4',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  panel: 'M2.5 3h11v10h-11zM10 3v10',
  again: 'M13 8a5 5 0 1 1-1.6-3.7M13.5 2v3h-3',
  folded: 'M2.5 4.5h11M2.5 11.5h11M5 8h.1M8 8h.1M11 8h.1',
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration: the name stands beside it, or in the control's label. */
export function Icon({ name, isSmall = false }: { readonly name: IconName; readonly isSmall?: boolean }) {
  return (
    <svg className={isSmall ? 'icon small-icon' : 'icon'} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** Three regions, one above another, with a hole in the middle one. */
export function Logo() {
  return (
    <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
      <rect x="1" y="2" width="16" height="3.6" rx="1" fill="var(--immediate)" />
      <rect x="1" y="7.2" width="10" height="3.6" rx="1" fill="var(--pooled)" />
      <rect x="12.5" y="7.2" width="4.5" height="3.6" rx="1" fill="var(--line-strong)" />
      <rect x="1" y="12.4" width="16" height="3.6" rx="1" fill="var(--virtual)" />
    </svg>
  );
}
