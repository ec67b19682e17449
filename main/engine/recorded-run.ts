import type { AxisName } from '../../app/contract/engine.ts';
import { METRICS, type MetricName, REGIONS } from '../../app/contract/engine.ts';
import type { ReportFailure } from '../../app/contract/report.ts';
import type { CostModel, RunFailure, RunMoment, SweepResult } from '../../app/contract/simulation.ts';
import { estimateCost } from '../../app/domain/cost-model.ts';
import { failuresOf } from './failures.ts';
import type { NativeSweep } from './native-runs.ts';
import { timeOf } from './quantities.ts';
import type { OpenTrace } from './traces.ts';

/** The recording itself, measured the same way as the runs that are compared with it. */
export async function recordedRun(
  entry: OpenTrace,
  device: number,
  columns: number,
  swept: NativeSweep,
  costModel: CostModel,
): Promise<SweepResult['recording']> {
  const total = entry.native.extremes(device).at(-1);
  const peak = total?.peak[RESERVED];
  const allocated = total?.peak[ALLOCATED];
  const at = endOfRequest(entry, device, peak?.event ?? -1);
  const [axis, to] = wholeAxis(entry, device);
  const [columnsOf, peakMoment, fragmentation, failures, markers] = await Promise.all([
    seriesOf(entry, device, axis, 0, to, columns),
    totalsAfter(entry, device, at),
    peakFragmentation(entry, device),
    failuresOf(entry, device),
    entry.native.markers(device),
  ]);
  const [first] = failures;
  return {
    capacity: swept.capacity.bytes,
    capacityFrom: swept.capacity.from,
    isReservedKnown: entry.facts.devices[device]?.layout === 'segments',
    peakReserved: Number(peak?.bytes ?? 0n),
    peakReservedAt: momentOf(entry, device, at),
    finalReserved: Number(total?.final[RESERVED] ?? 0n),
    peakAllocated: Number(allocated?.bytes ?? 0n),
    lowerBound: swept.requests.lowerBound,
    activeAtPeak: peakMoment('active'),
    freeAtPeak: peakMoment('reserved') - peakMoment('active'),
    largestFreeAtPeak: peakMoment('largestFree'),
    peakFragmentation: fragmentation,
    requests: swept.requests.requests,
    calls: swept.calls,
    estimatedCostNs: estimateCost(swept.calls, costModel),
    failureCount: markers.filter(({ kind }) => kind === 'failure').length,
    firstFailure: failureOf(entry, device, first),
    timeline: { reserved: columnsOf('reserved', MAX), active: columnsOf('active', MAX) },
  };
}

/** Positions among the counters of NativeExtremes. */
const ALLOCATED = 0;
const RESERVED = 2;
/** Positions in the last dimension of a native series. */
const MAX = 1;
const LAST = 2;

export function momentOf(entry: OpenTrace, device: number, event: number): RunMoment {
  return { event, time: timeOf(entry, device, event) };
}

/**
 * A run is measured after each request, and a recording notes the segments that a request took before it notes the
 * block: the event of that block, or the event itself where no block follows.
 */
function endOfRequest(entry: OpenTrace, device: number, event: number): number {
  const events = entry.facts.devices[device]?.events ?? 0;
  for (let at = event; at >= 0 && at < events; at++) {
    const { action } = entry.native.event(device, at);
    if (action === 'alloc') return at;
    if (action !== 'segment_alloc' && action !== 'segment_map') break;
  }
  return event;
}

/** Null where the recording does not tell what was free. */
function failureOf(entry: OpenTrace, device: number, failure: ReportFailure | undefined): RunFailure | null {
  if (failure === undefined || failure.free === null || failure.largest_free === null) return null;
  return {
    ...momentOf(entry, device, failure.event),
    requested: failure.requested ?? failure.rounded,
    free: failure.free,
    largestFree: failure.largest_free,
    deviceFree: failure.device_free,
  };
}

/** The axis of all time lines, and its end. */
function wholeAxis(entry: OpenTrace, device: number): readonly [AxisName, number] {
  const events = entry.facts.devices[device]?.events ?? 0;
  return entry.info.devices[device]?.hasClock === true && entry.info.durationNs > 0
    ? ['time', entry.info.durationNs]
    : ['event', events];
}

async function seriesOf(
  entry: OpenTrace,
  device: number,
  axis: AxisName,
  from: number,
  to: number,
  columns: number,
) {
  const values = await entry.native.series(device, axis === 'time', from, to, columns);
  return (metric: MetricName, kind: number) => {
    const start = ((REGIONS.length * METRICS.length + METRICS.indexOf(metric)) * 3 + kind) * columns;
    return values.slice(start, start + columns);
  };
}

async function totalsAfter(entry: OpenTrace, device: number, event: number) {
  const column = await seriesOf(entry, device, 'event', event, event + 1, 1);
  return (metric: MetricName) => column(metric, LAST)[0] as number;
}

/** The highest value and the first event after which it stands, found by halving the recording. */
async function peakFragmentation(
  entry: OpenTrace,
  device: number,
): Promise<{ readonly value: number; readonly at: RunMoment } | null> {
  const highest = async (from: number, to: number) => {
    const column = await seriesOf(entry, device, 'event', from, to, 1);
    return column('fragmentation', MAX)[0] as number;
  };
  let from = 0;
  let to = entry.facts.devices[device]?.events ?? 0;
  if (to === 0) return null;
  const value = await highest(from, to);
  if (value <= 0) return null;
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2);
    if ((await highest(from, middle)) >= value) to = middle;
    else from = middle;
  }
  return { value, at: momentOf(entry, device, from) };
}
