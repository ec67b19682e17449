import type { Args } from '../../app/contract/engine.ts';
import { REGIONS, type RegionName } from '../../app/contract/engine.ts';
import type {
  CounterName,
  Finals,
  Peak,
  Peaks,
  PossibleExtra,
  Report,
  ReportConsumer,
  ReportDevice,
  ReportExact,
  ReportFragmentation,
  ReportRegion,
  ReportWarning,
} from '../../app/contract/report.ts';
import { reportCounters } from './counters.ts';
import { siteName, stackLines } from './details.ts';
import { failuresOf } from './failures.ts';
import { fragmentationOf } from './moments.ts';
import type { NativeDevice, NativeExtremes, NativeRegionMoment } from './native.ts';
import { COUNTERS, exact, exactIfKnown, timeOf } from './quantities.ts';
import type { OpenTrace } from './traces.ts';

const TOP_CONSUMERS = 20;

/** The facts of a trace in the schema "strata.report/1" (main/cli/REPORT.md). */
export async function report(entry: OpenTrace, _args: Args<'report'>): Promise<Report> {
  const { facts, info } = entry;
  const warnings = warningsOf(entry);
  const devices = facts.devices.map((device, position) => reportDevice(entry, device, position));
  return {
    schema: 'strata.report/1',
    file: entry.file,
    format: facts.format,
    producer: facts.producer,
    complete: facts.isComplete && !warnings.some((warning) => warning.damage),
    file_bytes: info.fileBytes,
    has_clock: facts.hasClock,
    origin: info.originMs === null ? null : isoTime(info.originMs),
    duration_ns: info.durationNs,
    settings: Object.fromEntries(facts.settings),
    devices: await Promise.all(devices),
    counters: await reportCounters(entry),
    warnings,
    files: info.parts.map((part) => ({
      file: part.path ?? part.name,
      name: part.name,
      rank: part.rank,
      format: part.format,
      producer: part.producer,
      complete: part.isComplete,
      file_bytes: part.fileBytes,
      clock: part.clock,
      start_ns: part.start,
      settings: part.settings,
    })),
  };
}

async function reportDevice(entry: OpenTrace, device: NativeDevice, at: number): Promise<ReportDevice> {
  const extremes = entry.native.extremes(at);
  const total = extremes[REGIONS.length] as NativeExtremes;
  const peak = peaksOf(entry, at, total);
  const atReserved = await entry.native.moment(at, device.peak ?? peak.reserved.event);
  const part = entry.info.parts[entry.info.devices[at]?.part ?? -1];
  return {
    ordinal: device.ordinal,
    file: part?.name ?? null,
    rank: part?.rank ?? null,
    kind: device.kind,
    allocator: device.allocator === '' ? null : device.allocator,
    layout: device.layout,
    events: device.events,
    allocations: device.allocations,
    segments: device.finalSegments,
    has_history: device.hasHistory,
    requests_known: device.areRequestsKnown,
    peak,
    final: finalsOf(total),
    regions: byRegion((row) => reportRegion(entry, at, extremes[row] as NativeExtremes)),
    fragmentation_at_peak: byRegion((row) =>
      reportFragmentation(device, atReserved.regions[row] as NativeRegionMoment),
    ),
    exact: exactnessOf(device),
    failures: await failuresOf(entry, at),
    top_at_peak: areSitesKnown(device)
      ? await topConsumers(entry, at, device.peak ?? peak.allocated.event)
      : [],
    possible_extra: possibleExtra(device),
    stored_end: storedEnd(device),
  };
}

/** Without addresses nobody knows whose memory a free gave back, unless the capture says who holds it at the peak. */
export function areSitesKnown({ layout, hasHistory, peak }: NativeDevice): boolean {
  return layout !== 'totals' || !hasHistory || peak !== null;
}

function reportRegion(entry: OpenTrace, device: number, extremes: NativeExtremes): ReportRegion {
  return { peak: peaksOf(entry, device, extremes), final: finalsOf(extremes) };
}

function peaksOf(entry: OpenTrace, device: number, extremes: NativeExtremes): Peaks {
  return byCounter((row) => {
    const { bytes, event } = extremes.peak[row] as NativeExtremes['peak'][number];
    return { bytes: exact(bytes), event, time_ns: timeOf(entry, device, event) } satisfies Peak;
  });
}

function finalsOf(extremes: NativeExtremes): Finals {
  return byCounter((row) => exact(extremes.final[row] as bigint));
}

const FREE_UNKNOWN = { value: null, free: null, largest_free: null, cached_whole: null, stranded: null };

function reportFragmentation(device: NativeDevice, region: NativeRegionMoment): ReportFragmentation {
  const formula = '1 - largest_free / free';
  if (device.layout !== 'segments' || possibleExtra(device) !== null) return { formula, ...FREE_UNKNOWN };
  const free = region.reserved - region.active;
  return {
    formula,
    value: fragmentationOf(region),
    free: exact(free),
    largest_free: exact(region.largestFree),
    cached_whole: exact(region.cachedWhole),
    stranded: exact(free - region.cachedWhole),
  };
}

function exactnessOf({ exactness }: NativeDevice): ReportExact {
  return {
    verdict: exactness.verdict,
    placements: exactness.placements,
    placements_matched: exactness.placementsMatched,
    segment_events: exactness.segmentEvents,
    segment_events_matched: exactness.segmentEventsMatched,
    final_blocks: exactness.finalBlocks,
    final_blocks_matched: exactness.finalBlocksMatched,
    first_mismatch: exactness.firstMismatch,
    code: exactness.code === '' ? null : exactness.code,
    because: exactness.because === '' ? null : exactness.because,
    hidden:
      exactness.hiddenBlocks === 0 ? null : { blocks: exactness.hiddenBlocks, bytes: exactness.hiddenBytes },
  };
}

async function topConsumers(
  entry: OpenTrace,
  device: number,
  event: number,
): Promise<readonly ReportConsumer[]> {
  const consumers = await entry.native.consumers(device, event, TOP_CONSUMERS);
  return consumers.map(({ bytes, count, firstBlock, stack }) => ({
    bytes: exact(bytes),
    count,
    site: siteName(entry, device, entry.native.block(device, firstBlock).site, stack),
    stack: stackLines(entry, stack),
  }));
}

function possibleExtra({ possible }: NativeDevice): PossibleExtra | null {
  if (COUNTERS.every((counter) => possible[counter] === 0n)) return null;
  return byCounter((row) => exactIfKnown(possible[COUNTERS[row] as CounterName]));
}

function storedEnd({ isEventListComplete, storedEnd: end }: NativeDevice): Finals | null {
  if (isEventListComplete || end.reserved === 0n) return null;
  return byCounter((row) => exact(end[COUNTERS[row] as CounterName]));
}

function warningsOf({ facts, info, warnings }: OpenTrace): readonly ReportWarning[] {
  const refused = info.refused.map(({ name, error }) => ({
    code: error.code,
    message: error.message,
    position: error.position,
    file: name,
    damage: true,
  }));
  const inside = facts.warnings.map(({ code, message, byte, line, isDamage, part }) => {
    const file = part === null ? undefined : info.parts[part]?.name;
    return {
      code,
      message,
      position: line >= 0 ? { line } : byte < 0 ? null : { byte },
      ...(file === undefined ? {} : { file }),
      damage: isDamage,
    };
  });
  return [...refused, ...warnings, ...inside];
}

/** Null for a clock that no calendar knows, as only a made-up capture has. */
function isoTime(milliseconds: number): string | null {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function byCounter<T>(value: (row: number) => T): Readonly<Record<CounterName, T>> {
  return Object.fromEntries(COUNTERS.map((name, row) => [name, value(row)])) as Record<CounterName, T>;
}

function byRegion<T>(value: (row: number) => T): Readonly<Record<RegionName, T>> {
  return Object.fromEntries(REGIONS.map((name, row) => [name, value(row)])) as Record<RegionName, T>;
}
