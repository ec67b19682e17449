import { EngineError } from '../../../app/contract/error.ts';
import type {
  DecisionInfo,
  KnobInfo,
  RunMoment,
  RunRequest,
  RunSummary,
  SimulatorInfo,
  SweepResult,
} from '../../../app/contract/simulation.ts';
import { DEFAULT_COST_MODEL, estimateCost } from '../../../app/domain/cost-model.ts';
import type { FakeDevice } from './fake-trace.ts';
import { seriesOf } from './pictures.ts';

/** What a simulation would say about a made-up trace: shapes that look like the real allocators', not their rules. */

const MIB = 1024 ** 2;

function knob(name: string, kind: KnobInfo['kind'], initial: string, most: number | null = null): KnobInfo {
  return { name, kind, initial, choices: [], least: kind === 'flag' || kind === 'text' ? null : 0, most };
}

export const FAKE_SIMULATORS: readonly SimulatorInfo[] = [
  {
    name: 'pytorch',
    isModel: false,
    knobs: [
      knob('expandable_segments', 'flag', ''),
      knob('max_split_size_mb', 'count', ''),
      knob('roundup_power2_divisions', 'text', ''),
      knob('garbage_collection_threshold', 'fraction', '', 1),
      knob('large_segment_size_mb', 'count', '20'),
    ],
  },
  {
    name: 'bfc',
    isModel: false,
    knobs: [knob('allow_growth', 'flag', 'true'), knob('fragmentation_fraction', 'fraction', '0', 1)],
  },
  { name: 'rmm-pool', isModel: false, knobs: [knob('initial_pool_size', 'bytes', '0')] },
  { name: 'cuda-async', isModel: false, knobs: [knob('cudaMemPoolAttrReleaseThreshold', 'bytes', '0')] },
  { name: 'offline-greedy', isModel: true, knobs: [] },
];

const SWEPT: readonly RunRequest[] = [
  { allocator: 'pytorch', settings: {} },
  { allocator: 'pytorch', settings: { expandable_segments: 'True' } },
  { allocator: 'pytorch', settings: { max_split_size_mb: '100' } },
  { allocator: 'bfc', settings: {} },
  { allocator: 'rmm-pool', settings: {} },
  { allocator: 'cuda-async', settings: {} },
  { allocator: 'offline-greedy', settings: {} },
];

interface Curves {
  readonly reserved: Float64Array;
  readonly active: Float64Array;
  readonly requestedPeak: number;
}

const runningMost = (values: Float64Array) => {
  let most = 0;
  return values.map((value) => {
    most = Math.max(most, value);
    return most;
  });
};

function reservedOf({ allocator, settings }: RunRequest, { reserved, active, requestedPeak }: Curves) {
  if (allocator === 'offline-greedy') return active.map(() => requestedPeak);
  if (allocator === 'cuda-async') return active.map((bytes) => bytes + 2 * MIB);
  if (allocator === 'rmm-pool') return reserved.map(() => Math.max(...reserved) * 1.04);
  if (allocator === 'bfc') return runningMost(reserved).map((bytes) => 2 ** Math.ceil(Math.log2(bytes + 1)));
  if (settings['expandable_segments'] === 'True') return active.map((bytes) => bytes + 24 * MIB);
  return settings['max_split_size_mb'] === undefined ? reserved : reserved.map((bytes) => bytes * 1.03);
}

function curvesOf(device: FakeDevice, columns: number): Curves {
  const length = device.hasClock ? (device.timeOf(device.last) ?? 0) + 1 : device.last + 1;
  const axis = device.hasClock ? ('time' as const) : ('event' as const);
  const { total } = seriesOf(device, { axis, from: 0, to: length, columns });
  return {
    reserved: total.reserved.max,
    active: total.active.max,
    requestedPeak: device.peaks('total').requested.bytes,
  };
}

/** Errors as the engine has them: an allocator or a setting that is not known, a value that is none. */
export function checkRun(run: RunRequest): void {
  const known = FAKE_SIMULATORS.find((one) => one.name === run.allocator);
  if (known === undefined) throw refusal('unknown-allocator', `There is no allocator "${run.allocator}".`);
  for (const [name, value] of Object.entries(run.settings)) {
    const { kind } = known.knobs.find((one) => one.name === name) ?? { kind: null };
    if (kind === null) throw refusal('unknown-setting', `${run.allocator} has no setting "${name}".`);
    if (kind === 'count' && !/^\d+$/.test(value)) {
      throw refusal('bad-setting', `"${name}" is a whole number, not "${value}".`);
    }
  }
}

function refusal(code: string, message: string): EngineError {
  return new EngineError({ code, message, remedy: 'Choose one of those that are listed.', position: null });
}

function measure(device: FakeDevice, curves: Curves, limit: number | null) {
  const { reserved, active, requestedPeak } = curves;
  const at = reserved.indexOf(Math.max(...reserved));
  const event = Math.round(((at + 0.5) / reserved.length) * device.last);
  const moment: RunMoment = { event, time: device.timeOf(event) };
  const peak = reserved[at] as number;
  const free = Math.max(0, peak - (active[at] as number));
  const hasFailed = limit !== null && peak > limit;
  const calls = {
    allocate: 10,
    free: 4,
    reserve: 0,
    map: 0,
    unmap: 0,
    synchronize: 2,
    refused: hasFailed ? 1 : 0,
  };
  return {
    capacity: limit,
    peakReserved: hasFailed ? (limit as number) : peak,
    peakReservedAt: moment,
    finalReserved: reserved.at(-1) ?? 0,
    peakAllocated: Math.max(...active),
    lowerBound: requestedPeak,
    activeAtPeak: Math.min(peak, active[at] as number),
    freeAtPeak: free,
    largestFreeAtPeak: Math.round(free / 4),
    peakFragmentation: free === 0 ? null : { value: 0.75, at: moment },
    requests: device.simulation.blocks.length,
    calls,
    estimatedCostNs: estimateCost(calls, DEFAULT_COST_MODEL),
    failureCount: hasFailed ? 1 : 0,
    firstFailure: hasFailed
      ? { ...moment, requested: 300 * MIB, free, largestFree: Math.round(free / 4), deviceFree: 12 * MIB }
      : null,
    timeline: {
      reserved: limit === null ? reserved : reserved.map((bytes) => Math.min(bytes, limit)),
      active,
    },
  };
}

/** The capacity: as given, as the recording's failed request shows it, or none. */
function limitOf(device: FakeDevice, given: number | null) {
  const hasFailed = device.simulation.failures.length > 0;
  if (given !== null) return { limit: given, from: 'given' as const };
  const recorded = hasFailed ? device.peaks('total').reserved.bytes * 0.995 : null;
  return { limit: recorded, from: hasFailed ? ('recorded-failure' as const) : ('none' as const) };
}

export function fakeRun(
  device: FakeDevice,
  run: RunRequest,
  capacity: number | null,
  columns: number,
): RunSummary {
  checkRun(run);
  const curves = curvesOf(device, columns);
  const { limit, from } = limitOf(device, capacity);
  const isRecorded = run.allocator === 'pytorch' && Object.keys(run.settings).length === 0;
  const placements = device.simulation.blocks.length;
  return {
    ...run,
    ...measure(device, { ...curves, reserved: reservedOf(run, curves) }, limit),
    capacityFrom: from,
    caveats: [
      { code: 'recorded-stream-frees', count: 12 },
      { code: 'older-blocks', count: 3 },
    ],
    reproduces: isRecorded
      ? {
          placements,
          matched: placements,
          segmentEvents: 40,
          segmentEventsMatched: 40,
          finalBlocks: 20,
          finalBlocksMatched: 20,
        }
      : null,
  };
}

export function fakeSweep(
  device: FakeDevice,
  runs: readonly RunRequest[] | null,
  capacity: number | null,
  columns: number,
): SweepResult {
  const { limit, from } = limitOf(device, capacity);
  const summaries = (runs ?? SWEPT).map((run) => fakeRun(device, run, capacity, columns));
  return {
    recording: {
      ...measure(device, curvesOf(device, columns), limit),
      capacityFrom: from,
      isReservedKnown: true,
    },
    runs: summaries.sort(
      (one, other) => one.failureCount - other.failureCount || one.peakReserved - other.peakReserved,
    ),
    refused: [],
  };
}

export const FAKE_DECISIONS: readonly DecisionInfo[] = [
  { step: 'round', reason: 'none', address: null, bytes: 7 * MIB },
  { step: 'consider', reason: 'too-small', address: '0x7f0000200000', bytes: 2 * MIB },
  { step: 'consider', reason: 'fits', address: '0x7f0000600000', bytes: 8 * MIB },
  { step: 'take', reason: 'none', address: '0x7f0000600000', bytes: 7 * MIB },
  { step: 'split', reason: 'none', address: '0x7f0000d00000', bytes: MIB },
];
