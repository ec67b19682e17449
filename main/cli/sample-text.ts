import { GPU_METRICS, type GpuInfo, type GpuNow } from '../../app/contract/live.ts';
import { formatBytes, formatNumber, plainSpaces } from '../../app/domain/format.ts';
import { visibleText } from '../../app/domain/visible-text.ts';

/** One sample of all GPUs. */
export interface SampledMoment {
  /** ns since the sampler started. */
  readonly time: number;
  readonly wallMs: number;
  readonly isGapBefore: boolean;
  readonly gpus: readonly GpuNow[];
}

const stamp = (moment: SampledMoment) => new Date(moment.wallMs).toISOString();

/**
 * One line of JSON, schema "strata.sample/1": `time` (ISO), `ns` since the start, `gap_before`, `gpus`; of each its
 * identity, `lost`, `accounting`, the readings by name (bytes, percent, °C, mW, MHz, bytes a second, mJ; null when
 * absent) and `processes` (null when they cannot be listed).
 */
export function jsonLine(moment: SampledMoment, gpus: readonly GpuInfo[]): string {
  return `${JSON.stringify({
    schema: 'strata.sample/1',
    time: stamp(moment),
    ns: moment.time,
    gap_before: moment.isGapBefore,
    gpus: moment.gpus.map(({ values, accounting, isLost, processes }, position) => {
      const { id, name, vendor, parent } = gpus[position] as GpuInfo;
      return { id, name, vendor, parent, lost: isLost, accounting, ...values, processes };
    }),
  })}\n`;
}

export function csvHead(): string {
  return `time,ns,gap_before,gpu,id,lost,accounting,${GPU_METRICS.join(',')}\n`;
}

/** A row for each GPU; what is absent is empty. */
export function csvRows(moment: SampledMoment, gpus: readonly GpuInfo[]): string {
  return moment.gpus
    .map(({ values, accounting, isLost }, position) => {
      const id = quoted((gpus[position] as GpuInfo).id);
      const start = [stamp(moment), moment.time, Number(moment.isGapBefore), position, id, Number(isLost)];
      return `${[...start, accounting, ...GPU_METRICS.map((metric) => values[metric] ?? '')].join(',')}\n`;
    })
    .join('');
}

function quoted(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** For people: a line for each GPU. */
export function textLines(moment: SampledMoment, gpus: readonly GpuInfo[]): string {
  const clock = stamp(moment).slice(11, 19);
  return moment.gpus
    .map(
      (now, position) =>
        `${visibleText(`${clock}  ${describe(now, gpus[position] as GpuInfo, position)}`)}\n`,
    )
    .join('');
}

function describe(now: GpuNow, { name, parent }: GpuInfo, position: number): string {
  const title = `${parent === null ? '' : '  '}${position} ${name}`.padEnd(28);
  if (now.isLost) return `${title} lost`;
  const { used, total, busy, power, temperature } = now.values;
  const parts = [
    used === null
      ? 'used unknown'
      : `${formatBytes(used)}${total === null ? '' : ` of ${formatBytes(total)}`}`,
    busy === null ? '' : `${busy} % busy`,
    power === null ? '' : `${formatNumber(power / 1000)} W`,
    temperature === null ? '' : `${temperature} °C`,
    now.processes === null
      ? ''
      : `${now.processes.length} ${now.processes.length === 1 ? 'process' : 'processes'}`,
  ];
  return plainSpaces(`${title} ${parts.filter((part) => part !== '').join('   ')}`);
}
