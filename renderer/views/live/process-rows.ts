import type { GpuProcess } from '../../../app/contract/live.ts';

export type ProcessColumn = 'name' | 'pid' | 'bytes' | 'busy';
export interface ProcessOrder {
  readonly column: ProcessColumn;
  readonly isDescending: boolean;
}

/** The processes whose name or number holds the text, in order; what is not known comes last either way. */
export function processRows(
  processes: readonly GpuProcess[],
  filter: string,
  { column, isDescending }: ProcessOrder,
): readonly GpuProcess[] {
  const text = filter.trim().toLowerCase();
  const kept = processes.filter(({ name, pid }) => `${name} ${pid}`.toLowerCase().includes(text));
  return kept.sort((one, other) => {
    const [left, right] = [one[column], other[column]];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    const order = left < right ? -1 : left > right ? 1 : one.pid - other.pid;
    return isDescending ? -order : order;
  });
}
