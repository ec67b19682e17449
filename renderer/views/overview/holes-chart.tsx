import { useTranslation } from 'react-i18next';
import type { RegionMoment } from '../../../app/contract/engine.ts';
import { BYTE_UNITS } from '../../../app/domain/format.ts';
import { useSize } from '../../charts/canvas.tsx';
import { useFormat } from '../../i18n/use-format.ts';
import { holeColumns } from './holes.ts';

export interface HolesChartProps {
  readonly region: RegionMoment;
  /** A size to hold against the holes, with its name. */
  readonly mark: { readonly bytes: number; readonly name: string } | null;
}

const TOP = 34;
const BASE = 128;
const LEAST_HEIGHT = 3;
/** Half the width of the longest number above a column. */
const HALF_VALUE = 28;

/** Holes by size: how much is free in small ones, and what of it could serve the request that matters. */
export function HolesChart({ region, mark }: HolesChartProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [place, { width: full }] = useSize<HTMLDivElement>();
  const { first, columns, mark: markAt } = holeColumns(region.holeClasses, mark?.bytes ?? null);
  const width = full / columns.length;
  const step = columns.length > 6 ? 2 : 1;
  const most = Math.max(1, ...columns.map((column) => column.bytes));
  const heightOf = (bytes: number) =>
    bytes === 0 ? 0 : Math.max(LEAST_HEIGHT, (bytes / most) * (BASE - TOP - 14));
  const largest = columns.reduce(
    (best, column, at) => (column.bytes > (columns[best]?.bytes ?? 0) ? at : best),
    0,
  );
  const x = markAt === null ? null : markAt * width;
  const middle = Math.min(full - HALF_VALUE, Math.max(HALF_VALUE, (largest + 0.5) * width));
  // Beside the mark, not across it.
  const isCrossed = x !== null && Math.abs(middle - x) < HALF_VALUE + 4;
  const valueX = isCrossed ? x - HALF_VALUE - 6 : middle;
  // Away from the number above the highest column.
  const isFitLeft = x !== null && valueX > (x + full) / 2;
  const isMarkRight = x !== null && x > full / 2;
  const hasUnit = (at: number) => at === 0 || isNewUnit(first + at, step);
  /** The first label stands right of its tick, and the next one must not touch it. */
  const isClear = (at: number) => at === 0 || at * width > (hasUnit(at) ? 66 : 54);
  const summary = columns
    .map((column, at) =>
      column.count === 0
        ? ''
        : t('overview.holes.class', {
            size: format.bytes(2 ** (first + at)),
            count: column.count,
            bytes: format.bytes(column.bytes),
          }),
    )
    .filter((line) => line !== '')
    .join(' ');
  return (
    <div ref={place} className="holes-chart">
      <svg width={full} height="148" role="img" aria-label={summary}>
        {x === null ? null : (
          <rect
            className="holes-fit"
            x={x}
            y={TOP - 16}
            width={Math.max(0, full - x)}
            height={BASE - TOP + 16}
          />
        )}
        {columns.map((column, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
          <g key={at}>
            <rect
              className="holes-bar"
              x={at * width + 2}
              width={Math.max(1, width - 4)}
              y={BASE - heightOf(column.bytes)}
              height={heightOf(column.bytes)}
              rx="2"
            />
            <text
              className="holes-tick"
              x={at * width}
              y={BASE + 16}
              textAnchor={at === 0 ? 'start' : 'middle'}
            >
              {at % step === 0 && isClear(at) ? tick(first + at, hasUnit(at)) : ''}
            </text>
          </g>
        ))}
        {region.free === 0 ? null : (
          <text
            className="holes-value"
            x={valueX}
            y={BASE - heightOf(columns[largest]?.bytes ?? 0) - 6}
            textAnchor="middle"
          >
            {format.bytes(columns[largest]?.bytes ?? 0)}
          </text>
        )}
        <path className="holes-base" d={`M0 ${BASE + 0.5}H${full}`} />
        {x === null || mark === null ? null : (
          <>
            <path className="holes-mark" d={`M${x} 4V${BASE + 4}`} />
            <text
              className="holes-mark-name"
              x={isMarkRight ? x - 6 : x + 6}
              y="13"
              textAnchor={isMarkRight ? 'end' : 'start'}
            >
              {mark.name}
            </text>
            {full - x > 60 ? (
              <text
                className="holes-fit-name"
                x={isFitLeft ? x + 6 : full - 6}
                y={TOP - 2}
                textAnchor={isFitLeft ? 'start' : 'end'}
              >
                {t('overview.holes.wouldFit')}
              </text>
            ) : null}
          </>
        )}
      </svg>
    </div>
  );
}

/** Whether the label before this one was in another unit. */
function isNewUnit(exponent: number, step: number): boolean {
  return Math.floor(exponent / 10) !== Math.floor((exponent - step) / 10);
}

/** "512", "16 KiB": a power of two; its unit stands at the first label and wherever it changes. */
function tick(exponent: number, hasUnit: boolean): string {
  const unit = BYTE_UNITS[Math.floor(exponent / 10)] ?? '';
  return `${2 ** (exponent % 10)}${hasUnit ? ` ${unit}` : ''}`;
}
