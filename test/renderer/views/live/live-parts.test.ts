import { describe, expect, it } from 'vitest';
import { GPU_METRICS, type GpuMetric, type GpuNow } from '../../../../app/contract/live.ts';
import { largestKnown, sampledPaths } from '../../../../renderer/charts/sampled-path.ts';
import { gpuName } from '../../../../renderer/views/live/gpu-name.ts';
import { passedLimits, withLimits } from '../../../../renderer/views/live/limits.ts';
import { processRows } from '../../../../renderer/views/live/process-rows.ts';

const columns = (...values: readonly number[]) => {
  const array = Float64Array.from(values);
  return { min: array, max: array, last: array };
};

describe('the picture of a sampled quantity', () => {
  it('is interrupted where nothing is known, never joined', () => {
    const { line, area } = sampledPaths(columns(5, Number.NaN, 10), 30, 100, 10);
    expect(line).toBe('M0 50H10M20 0H30');
    expect(area).toBe('M0 100V50H10V100H0ZM20 100V0H30V100H20Z');
  });

  it('draws steps, and nothing of what is never known', () => {
    expect(sampledPaths(columns(1, 1, 2), 30, 10, 2).line).toBe('M0 5H20V0H30');
    expect(sampledPaths(columns(Number.NaN, Number.NaN), 30, 10, 2)).toEqual({
      line: '',
      area: '',
      spread: '',
    });
  });

  it('shades what a column ran through', () => {
    const all = { min: Float64Array.of(0), max: Float64Array.of(8), last: Float64Array.of(4) };
    expect(sampledPaths(all, 10, 8, 8).spread).toBe('M0 0V8H10V0Z');
  });

  it('knows the largest value, if any', () => {
    expect(largestKnown(Float64Array.of(Number.NaN, 3, 1))).toBe(3);
    expect(largestKnown(Float64Array.of(Number.NaN))).toBeNull();
  });
});

const gpu = (parent: number | null) => ({
  id: '',
  name: '',
  vendor: '',
  bus: '',
  driver: '',
  slowdown: null,
  parent,
});

it('numbers GPUs apart from their MIG instances, as recordings do', () => {
  const gpus = [gpu(null), gpu(0), gpu(0), gpu(null), gpu(3)];
  expect(gpus.map((_, position) => gpuName(gpus, position))).toEqual([
    'GPU 0',
    'GPU 0 MIG 0',
    'GPU 0 MIG 1',
    'GPU 1',
    'GPU 1 MIG 0',
  ]);
});

describe('the process table', () => {
  const processes = [
    { pid: 9, name: 'python', bytes: 5, busy: null },
    { pid: 10, name: 'Xorg', bytes: null, busy: 3 },
    { pid: 11, name: 'python', bytes: 7, busy: 1 },
  ];
  const pids = (filter: string, column: 'bytes' | 'name' | 'busy', isDescending: boolean) =>
    processRows(processes, filter, { column, isDescending }).map(({ pid }) => pid);

  it('sorts by any column, the unknown last either way', () => {
    expect(pids('', 'bytes', true)).toEqual([11, 9, 10]);
    expect(pids('', 'bytes', false)).toEqual([9, 11, 10]);
    expect(pids('', 'busy', true)).toEqual([10, 11, 9]);
    expect(pids('', 'name', false)).toEqual([10, 9, 11]);
  });

  it('filters by name and number', () => {
    expect(pids('PYTH', 'bytes', true)).toEqual([11, 9]);
    expect(pids('10', 'bytes', true)).toEqual([10]);
  });
});

describe('limits', () => {
  const now = (values: Partial<Record<GpuMetric, number>>): GpuNow => ({
    values: Object.fromEntries(
      GPU_METRICS.map((metric) => [metric, values[metric] ?? null]),
    ) as GpuNow['values'],
    accounting: 'unknown',
    isLost: false,
    processes: null,
  });
  const none = { memory: null, temperature: null, power: null };

  it('are passed from their value on, in percent, °C and watts', () => {
    const gpus = [
      now({ used: 90, total: 100, temperature: 80, power: 500_000 }),
      now({ used: 1, total: 100 }),
    ];
    expect(passedLimits(gpus, [{ memory: 90, temperature: 80, power: 500 }, none])).toEqual([
      { gpu: 0, limit: 'memory', value: 90, most: 90 },
      { gpu: 0, limit: 'temperature', value: 80, most: 80 },
      { gpu: 0, limit: 'power', value: 500, most: 500 },
    ]);
  });

  it('are not passed by what is unknown, nor when they are off', () => {
    expect(passedLimits([now({})], [{ memory: 1, temperature: 1, power: 1 }])).toEqual([]);
    expect(passedLimits([now({ temperature: 99 })], [none])).toEqual([]);
  });

  it('are kept by the id of a GPU, and a GPU without any is not kept', () => {
    const kept = withLimits({ a: none }, 'b', { ...none, power: 300 });
    expect(kept).toEqual({ a: none, b: { ...none, power: 300 } });
    expect(withLimits(kept, 'b', none)).toEqual({ a: none });
  });
});
