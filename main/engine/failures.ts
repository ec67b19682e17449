import { METRICS, type MetricName, REGIONS } from '../../app/contract/engine.ts';
import type { ReportFailure } from '../../app/contract/report.ts';
import { stackLines } from './details.ts';
import { exact, exactIfKnown, timeOf } from './quantities.ts';
import type { OpenTrace } from './traces.ts';

/** More than any program survives; a made-up capture could hold millions, each with its stack. */
const MOST_FAILURES = 1000;

/** Every request that failed for good, with the state it met: that of the whole device, after the flush. */
export async function failuresOf(entry: OpenTrace, device: number): Promise<readonly ReportFailure[]> {
  const markers = await entry.native.markers(device);
  const failed = markers.filter((marker) => marker.kind === 'failure').slice(0, MOST_FAILURES);
  return Promise.all(failed.map((marker) => describe(entry, device, marker.event)));
}

async function describe(entry: OpenTrace, device: number, event: number): Promise<ReportFailure> {
  const recorded = entry.native.event(device, event);
  const isFreeKnown = entry.facts.devices[device]?.layout === 'segments' && !isStateDamaged(entry, device);
  const at = await totalsAt(entry, device, event);
  return {
    event,
    time_ns: timeOf(entry, device, event),
    requested: isRounded(entry, device) ? null : exact(recorded.size),
    rounded: exact(recorded.size),
    device_free: exactIfKnown(recorded.address),
    stream: String(recorded.stream),
    free: isFreeKnown ? at('reserved') - at('active') : null,
    largest_free: isFreeKnown ? at('largestFree') : null,
    reserved: at('reserved'),
    active: at('active'),
    stack: stackLines(entry, recorded.stack),
  };
}

/** A dump that lacks lines does not tell what was free: what is missing of it may be either. */
function isStateDamaged({ facts, info }: OpenTrace, device: number): boolean {
  const part = info.parts[info.devices[device]?.part ?? -1];
  const isDump = (part?.format ?? facts.format) === 'tensorflow-log';
  return isDump && facts.devices[device]?.isEventListComplete === false;
}

/** PyTorch notes a request after rounding it; what other formats note is what was asked for. */
function isRounded({ facts, info }: OpenTrace, device: number): boolean {
  const part = info.parts[info.devices[device]?.part ?? -1];
  return (part?.format ?? facts.format) === 'pytorch-snapshot';
}

/** The device's metrics after an event: a series of one column, which costs less than a moment. */
async function totalsAt(entry: OpenTrace, device: number, event: number) {
  const values = await entry.native.series(device, false, event, event + 1, 1);
  const total = REGIONS.length * METRICS.length;
  const LAST = 2;
  return (metric: MetricName) => values[(total + METRICS.indexOf(metric)) * 3 + LAST] as number;
}
