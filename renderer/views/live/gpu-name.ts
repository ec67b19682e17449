import type { GpuInfo } from '../../../app/contract/live.ts';

/** "GPU 1", or "GPU 1 MIG 0" for an instance of it; the same names as in recordings. */
export function gpuName(gpus: readonly GpuInfo[], position: number): string {
  const gpu = gpus[position];
  if (gpu === undefined) return '';
  const before = gpus.slice(0, position);
  if (gpu.parent === null) return `GPU ${before.filter((one) => one.parent === null).length}`;
  const sibling = before.filter((one) => one.parent === gpu.parent).length;
  return `${gpuName(gpus, gpu.parent)} MIG ${sibling}`;
}
