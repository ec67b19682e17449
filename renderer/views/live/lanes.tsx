import { useTranslation } from 'react-i18next';
import type { GpuMetric, SampledColumns } from '../../../app/contract/live.ts';
import { SampledLane, type SampledLaneProps, type SampledLimit } from '../../charts/sampled-lane.tsx';
import { largestKnown } from '../../charts/sampled-path.ts';
import { type Format, useFormat } from '../../i18n/use-format.ts';
import { LIMIT_UNITS, type LimitName, type Limits, NO_LIMITS } from './limits.ts';

/** Readings of one GPU by metric; what a source never gives is left out. */
export type SampledSeries = Readonly<Partial<Record<GpuMetric, SampledColumns>>>;

interface GpuLanesProps {
  readonly series: SampledSeries;
  readonly width: number;
  readonly marks: readonly number[];
  /** °C at which the hardware slows itself down. */
  readonly slowdown: number | null;
  /** What the user wants to be warned at. */
  readonly limits?: Limits;
  /** Pixels that lanes and axis may fill; 0: as high as they are of themselves. */
  readonly room?: number;
}

const GIB = 1024 ** 3;
const MEMORY_HEIGHT = 170;
const MOST_MEMORY_HEIGHT = 480;
const LANE_HEIGHT = 64;
/** Around the plot of a lane. */
const LANE_EDGE = 17;
const AXIS_HEIGHT = 28;

/** Memory takes what the others leave of the room. */
function memoryHeight(room: number, series: SampledSeries): number {
  const others = (['busy', 'power', 'temperature'] as const).filter(
    (metric) => largestKnown(series[metric]?.max ?? new Float64Array()) !== null,
  );
  const left = room - others.length * (LANE_HEIGHT + LANE_EDGE) - LANE_EDGE - AXIS_HEIGHT;
  return Math.max(MEMORY_HEIGHT, Math.min(MOST_MEMORY_HEIGHT, Math.floor(left)));
}

/** Memory, utilisation, power and temperature of one GPU on one time axis. */
export function GpuLanes({ series, width, marks, slowdown, limits = NO_LIMITS, room = 0 }: GpuLanesProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const newest = (metric: GpuMetric, write: (value: number) => string) => {
    const value = series[metric]?.last.at(-1);
    return value === undefined || Number.isNaN(value) ? t('live.unknown') : write(value);
  };
  const lane = (
    metric: GpuMetric,
    props: Omit<SampledLaneProps, 'columns' | 'width' | 'height' | 'marks'>,
  ) => {
    const columns = series[metric] ?? null;
    return columns === null || largestKnown(columns.max) === null ? null : (
      <SampledLane {...props} columns={columns} width={width} height={LANE_HEIGHT} marks={marks} />
    );
  };
  const watts = (value: number) => `${format.count(Math.round(value / 1000))} W`;
  const powerLimit = largestKnown(series['power-limit']?.max ?? new Float64Array());
  const ownPower = limits.power === null ? null : limits.power * 1000;
  const most = (metric: GpuMetric) => largestKnown(series[metric]?.max ?? new Float64Array()) ?? 1;
  const powerTop = Math.max(powerLimit ?? 0, ownPower ?? 0, most('power')) * 1.05;
  const degreesTop = Math.max(slowdown ?? 0, limits.temperature ?? 0, most('temperature'), 50) * 1.05;
  const own = (limit: LimitName, value: number | null): readonly SampledLimit[] =>
    value === null ? [] : [{ kind: 'own', value, label: ownLabel(limit) }];
  const ownLabel = (limit: LimitName) =>
    t('live.lanes.own', { limit: `${format.number(limits[limit] ?? 0)} ${LIMIT_UNITS[limit]}` });
  const total = largestKnown(series.total?.max ?? new Float64Array());
  return (
    <>
      <MemoryLane
        series={series}
        width={width}
        marks={marks}
        height={memoryHeight(room, series)}
        value={newest('used', (bytes) => format.bytes(bytes))}
        own={own('memory', limits.memory === null || total === null ? null : (limits.memory / 100) * total)}
      />
      {lane('busy', {
        title: t('live.lanes.busy'),
        captions: [t('live.lanes.busyCaption')],
        value: newest('busy', (percent) => `${format.count(percent)} %`),
        top: 105,
        levels: [50, 100].map((value) => ({ value, label: String(value) })),
      })}
      {lane('power', {
        title: t('live.lanes.power'),
        captions: powerLimit === null ? [] : [t('live.lanes.powerLimit', { limit: watts(powerLimit) })],
        value: newest('power', watts),
        top: powerTop,
        levels:
          powerLimit === null
            ? []
            : [{ value: powerLimit, label: format.count(Math.round(powerLimit / 1000)) }],
        limits: own('power', ownPower),
      })}
      {lane('temperature', {
        title: t('live.lanes.temperature'),
        captions: slowdown === null ? [] : [t('live.lanes.slowdown', { degrees: slowdown })],
        value: newest('temperature', (degrees) => `${format.count(degrees)} °C`),
        top: degreesTop,
        levels: [{ value: 50, label: '50' }],
        limits: [
          ...(slowdown === null
            ? []
            : [{ kind: 'hardware' as const, value: slowdown, label: `${slowdown} °C` }]),
          ...own('temperature', limits.temperature),
        ],
      })}
    </>
  );
}

interface MemoryLaneProps {
  readonly series: SampledSeries;
  readonly width: number;
  readonly marks: readonly number[];
  readonly height: number;
  readonly value: string;
  readonly own: readonly SampledLimit[];
}

/** Used memory under what the GPU has; what the driver keeps for itself is said, and free is the room above. */
function MemoryLane({ series, width, marks, height, value, own }: MemoryLaneProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const total = largestKnown(series.total?.max ?? new Float64Array());
  const highest = largestKnown(series.used?.max ?? new Float64Array());
  const reserved = largestKnown(series.reserved?.max ?? new Float64Array());
  const top = Math.max(total ?? 0, highest ?? 0, own[0]?.value ?? 0, 1) * 1.08;
  const { unit, levels } = memoryLevels(top, format);
  const parts = [
    highest === null ? null : t('live.lanes.highest', { bytes: format.bytes(highest) }),
    reserved === null ? null : t('live.lanes.reserved', { bytes: format.bytes(reserved) }),
  ];
  return (
    <SampledLane
      title={t('live.lanes.memory')}
      unit={unit}
      captions={parts.filter((part) => part !== null)}
      value={value}
      columns={series.used ?? null}
      width={width}
      height={height}
      top={top}
      levels={levels}
      limits={[
        ...(total === null
          ? []
          : [
              {
                kind: 'hardware' as const,
                value: total,
                label: t('live.lanes.total', { total: format.bytes(total) }),
              },
            ]),
        ...own,
      ]}
      isMemory
      marks={marks}
    />
  );
}

/** Two round values below the top, in GiB or else in MiB, which stands beside the title. */
function memoryLevels(top: number, format: Format) {
  const unit = top >= 2 * GIB ? GIB : GIB / 1024;
  const step = 10 ** Math.floor(Math.log10(top / unit / 2));
  const round = Math.max(1, Math.floor(top / unit / 2.5 / step)) * step;
  const levels = [round, 2 * round].map((value) => ({ value: value * unit, label: format.count(value) }));
  return { unit: unit === GIB ? 'GiB' : 'MiB', levels };
}
