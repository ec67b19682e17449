import type { DeviceInfo, PartInfo, TraceInfo } from '../contract/engine.ts';
import type { CounterInfo } from '../contract/live.ts';

/** What a driver says that a GPU or one process on it holds: a counter beside an allocator's device. */
export interface DriverFigure {
  /** Position among the counters of the trace. */
  readonly counter: number;
  /** "GPU 0". */
  readonly group: string;
  /** Null for the whole GPU, else the process as the recording names it: "python3 (1234)". */
  readonly process: string | null;
}

/** How a device and a GPU were found to be the same. */
export type PairedBy = 'process' | 'rank' | 'index' | 'only';

export interface Pairing {
  readonly figure: DriverFigure;
  readonly by: PairedBy;
}

/** The figures of other files of the set that a device can be compared with, GPU by GPU, the whole GPU first. */
export function driverFigures(
  info: TraceInfo,
  device: DeviceInfo,
  counters: readonly CounterInfo[],
): readonly DriverFigure[] {
  if (!device.hasClock || device.part === null) return [];
  const figures = counters.flatMap(({ group, name, unit, isProcess, part }, counter) => {
    const isRecording = info.parts[part]?.format === 'gpu-recording';
    if (!isRecording || unit !== 'bytes' || (name !== 'used' && !isProcess)) return [];
    return [{ counter, group, process: isProcess ? name : null }];
  });
  const groups = [...new Set(figures.map(({ group }) => group))];
  return groups.flatMap((group) => {
    const own = figures.filter((figure) => figure.group === group);
    return [
      ...own.filter(({ process }) => process === null),
      ...own.filter(({ process }) => process !== null),
    ];
  });
}

/** "GPU 3" is 3; instances of a GPU and names that a merge made longer are not found by their number alone. */
function indexOfGroup(group: string): number | null {
  const found = /^GPU (\d{1,6})$/.exec(group)?.[1];
  return found === undefined ? null : Number(found);
}

/** "python3 (1234)" or "1234" is process 1234. */
function isProcess({ process }: DriverFigure, id: string): boolean {
  return process !== null && (process === id || process.endsWith(`(${id})`));
}

/**
 * Where each rank sees its GPU as number 0, as under CUDA_VISIBLE_DEVICES, the rank counts: on machines of equal size,
 * rank r has GPU r modulo their number.
 */
function indexByRank(info: TraceInfo, part: PartInfo, gpus: number): number | null {
  const ranks = new Set(info.parts.flatMap(({ rank }) => (rank === null ? [] : [rank])));
  const isEachFirst = info.devices.every(({ kind, ordinal }) => kind === 'host' || ordinal === 0);
  return part.rank === null || ranks.size < 2 || !isEachFirst || gpus === 0 ? null : part.rank % gpus;
}

/**
 * The figure that most likely is of a device: that of its own process where the file names it and the recording lists
 * it, else the GPU of its rank, of its index, or the only GPU there is. No capture of an allocator names a GPU by its
 * UUID, so the user can choose another one.
 */
export function pairedFigure(
  info: TraceInfo,
  device: DeviceInfo,
  figures: readonly DriverFigure[],
): Pairing | null {
  const part = info.parts[device.part ?? -1];
  if (part === undefined || device.kind === 'host') return null;
  const id = part.settings['process_id'];
  const whole = figures.filter(({ process }) => process === null);
  const byRank = indexByRank(info, part, whole.length);
  const wanted = byRank ?? device.ordinal;
  const gpu = whole.find(({ group }) => indexOfGroup(group) === wanted);
  const processes = id === undefined ? [] : figures.filter((figure) => isProcess(figure, id));
  const process = processes.find(({ group }) => group === gpu?.group) ?? processes[0];
  if (process !== undefined) return { figure: process, by: 'process' };
  if (gpu !== undefined) return { figure: gpu, by: byRank === null ? 'index' : 'rank' };
  const [only, second] = whole;
  return only !== undefined && second === undefined ? { figure: only, by: 'only' } : null;
}
