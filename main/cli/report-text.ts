import { REGIONS } from '../../app/contract/engine.ts';
import type {
  CounterName,
  Peak,
  PossibleExtra,
  Report,
  ReportConsumer,
  ReportCounter,
  ReportDevice,
  ReportFailure,
  ReportFile,
  ReportFragmentation,
  ReportRegion,
} from '../../app/contract/report.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
  formatTime,
  plainSpaces,
} from '../../app/domain/format.ts';
import type { Bytes, EventIndex, Nanoseconds } from '../../app/domain/units.ts';
import { visibleText } from '../../app/domain/visible-text.ts';
import { warningText } from './error-text.ts';
import { alignTable, type Cell, right } from './table.ts';

const COUNTERS: readonly CounterName[] = ['allocated', 'active', 'reserved', 'requested'];
const FRAMES_SHOWN = 6;

/** The report for people: exact bytes, and beside them the size in a unit one can grasp. */
export function reportText(report: Report): string {
  const lines = [
    report.file,
    ...head(report),
    ...filesText(report.files),
    ...report.devices.flatMap((device) => deviceText(device, report.complete)),
    ...countersText(report.counters),
    ...warnings(report),
  ];
  return `${lines.map(visibleText).join('\n')}\n`;
}

/** Each sampled quantity with its range and its last value. */
function countersText(counters: readonly ReportCounter[]): string[] {
  const groups = [...new Set(counters.map((counter) => counter.group))];
  return groups.flatMap((group) => {
    const rows = counters.filter((counter) => counter.group === group);
    const cells = rows.map((counter): Cell[] => [
      counter.name,
      right(
        `${counterValue(counter.smallest, counter.unit)} to ${counterValue(counter.largest, counter.unit)}`,
      ),
      right(counter.last === null ? '' : `last ${counterValue(counter.last, counter.unit)}`),
    ]);
    return ['', `  ${group}`, ...alignTable(cells, '    ')];
  });
}

/** As people write it, and by how much the driver's own unit is divided for that. */
const COUNTER_UNITS: Readonly<Record<string, readonly [unit: string, divisor: number]>> = {
  percent: ['%', 1],
  celsius: ['°C', 1],
  milliwatts: ['W', 1000],
  millijoules: ['J', 1000],
  megahertz: ['MHz', 1],
  'bytes-per-second': ['B/s', 1],
};

function counterValue(value: number | null, unit: string): string {
  if (value === null) return 'unknown';
  if (unit === 'bytes') return plainSpaces(formatBytes(value));
  const [name, divisor] = COUNTER_UNITS[unit] ?? ['', 1];
  const shown = divisor === 1 ? formatCount(value) : formatNumber(value / divisor, 1);
  return `${shown} ${name}`.trimEnd();
}

function head(report: Report): string[] {
  const state = report.complete ? 'complete' : 'incomplete';
  const lines = [`  ${report.format}, ${report.producer}, ${bytes(report.file_bytes)}, ${state}`];
  const length = plainSpaces(formatDuration(report.duration_ns));
  if (!report.has_clock) lines.push('  no clock: events are counted, not timed');
  else if (report.duration_ns === 0) lines.push(`  one instant, at ${report.origin ?? 'an unknown time'}`);
  else lines.push(`  recorded for ${length} from ${report.origin ?? 'an unknown time'}`);
  return lines;
}

/** The files of a set, and where each lies on the axis. */
function filesText(files: readonly ReportFile[]): string[] {
  if (files.length === 0) return [];
  const rows = files.map((file): Cell[] => [
    file.file,
    file.rank === null ? '' : `rank ${file.rank}`,
    file.format,
    file.clock === 'wall'
      ? `from ${plainSpaces(formatDuration(file.start_ns))} on`
      : file.clock === 'start'
        ? 'aligned at its first event: its times have no date'
        : 'no times: events are counted',
    file.complete ? '' : 'incomplete',
  ]);
  return ['', `  ${counted(files.length, 'file')}`, ...alignTable(rows, '    ')];
}

function deviceText(device: ReportDevice, isComplete: boolean): string[] {
  const counts = [
    `${device.rank === null ? '' : `rank ${device.rank} `}device ${device.ordinal} ${device.kind}`,
    ...(device.allocator === null ? [] : [device.allocator]),
    ...(device.file === null ? [] : [device.file]),
    counted(device.events, 'event'),
    counted(device.allocations, 'allocation'),
    ...(device.layout === 'segments' ? [counted(device.segments, 'segment')] : []),
  ];
  return [
    '',
    `  ${counts.join('   ')}`,
    ...alignTable(exactness(device, isComplete), '    '),
    '',
    ...alignTable(counters(device), '    '),
    ...fragmentation(device),
    ...failures(device.failures),
    ...consumers(device.top_at_peak),
  ];
}

function exactness({ exact, has_history, events }: ReportDevice, isComplete: boolean): Cell[][] {
  if (!has_history) {
    return [
      [
        isComplete || events > 0
          ? 'no history was recorded: this is one moment'
          : 'the file ends before the first event',
      ],
    ];
  }
  const matched = (one: number, all: number, what: string) =>
    `${formatCount(one)} of ${formatCount(all)} ${what}`;
  const proofs = [
    matched(exact.placements_matched, exact.placements, 'placements'),
    matched(exact.segment_events_matched, exact.segment_events, 'segment events'),
    matched(exact.final_blocks_matched, exact.final_blocks, 'final blocks'),
  ];
  if (exact.verdict === 'not-applicable' && exact.because !== null) return [[exact.because]];
  const since = exact.first_mismatch === null ? '' : `, from event ${formatCount(exact.first_mismatch)} on`;
  const rows = [[`${exact.verdict}${since}: ${proofs.join(', ')}`]];
  if (exact.because !== null) rows.push([exact.because]);
  return rows;
}

/** All counters of the device, then of each region that was used. */
function counters(device: ReportDevice): Cell[][] {
  const used = REGIONS.filter((region) => device.regions[region].peak.reserved.bytes !== 0);
  return [
    ['', right('peak'), '', right('event'), right('time'), right('final'), ''],
    ...counterRows(device, device, ''),
    ...used.flatMap((region) => [[region], ...counterRows(device.regions[region], device, '  ')]),
    ...extraRows(device.possible_extra),
  ];
}

/** Only what the capture tells: without segments reserved is no more than active, and requests may be unknown. */
function counterRows({ peak, final }: ReportRegion, device: ReportDevice, indent: string): Cell[][] {
  const unknown = new Set<CounterName>();
  if (device.layout !== 'segments') unknown.add('reserved');
  if (!device.requests_known) unknown.add('requested');
  const known = COUNTERS.filter((counter) => !unknown.has(counter));
  return known.map((counter) => [
    indent + counter,
    ...peakCells(peak[counter]),
    right(exactBytes(final[counter])),
    right(size(final[counter])),
  ]);
}

function peakCells({ bytes, event, time_ns }: Peak): Cell[] {
  return [right(exactBytes(bytes)), right(size(bytes)), right(moment(event)), right(time(time_ns))];
}

function extraRows(extra: PossibleExtra | null): Cell[][] {
  if (extra === null) return [];
  return [
    ['and at most, in what is missing:'],
    ...COUNTERS.map((counter) => {
      const bytes = extra[counter];
      return bytes === null
        ? [`  ${counter}`, right('not known')]
        : [`  ${counter}`, right(exactBytes(bytes)), right(size(bytes))];
    }),
  ];
}

function fragmentation(device: ReportDevice): string[] {
  const used = REGIONS.filter((region) => device.regions[region].peak.reserved.bytes !== 0);
  if (used.length === 0 || device.layout !== 'segments' || device.possible_extra !== null) return [];
  const rows: Cell[][] = [
    [
      'free at the peak of reserved',
      right('free'),
      right('largest'),
      right('cached whole'),
      right('stranded'),
      right('fragmentation'),
    ],
    ...used.map((region) => fragmentationRow(region, device.fragmentation_at_peak[region])),
  ];
  return ['', ...alignTable(rows, '    ')];
}

function fragmentationRow(region: string, at: ReportFragmentation): Cell[] {
  return [
    `  ${region}`,
    ...[at.free, at.largest_free, at.cached_whole, at.stranded].map((value) =>
      right(value === null ? '' : size(value)),
    ),
    right(at.value === null ? 'nothing free' : plainSpaces(formatPercent(at.value))),
  ];
}

function failures(failed: readonly ReportFailure[]): string[] {
  if (failed.length === 0) return [];
  return ['', `    ${counted(failed.length, 'failed request')}`, ...failed.flatMap(failureText)];
}

function failureText(failure: ReportFailure): string[] {
  const at = failure.time_ns === null ? '' : ` (${time(failure.time_ns)})`;
  return [
    `      event ${moment(failure.event)}${at}: ${bytes(failure.rounded)} did not fit`,
    `        free ${known(failure.free)}, largest hole ${known(failure.largest_free)}, left on the device ${known(failure.device_free)}`,
    ...stackText(failure.stack),
  ];
}

function consumers(top: readonly ReportConsumer[]): string[] {
  if (top.length === 0) return [];
  return ['', '    largest at the peak of allocated', ...top.flatMap(consumerText)];
}

function consumerText(consumer: ReportConsumer): string[] {
  const holds = `${bytes(consumer.bytes)} in ${counted(consumer.count, 'block')}`;
  return [`      ${holds}   ${consumer.site}`, ...stackText(consumer.stack)];
}

/** The innermost frames; native ones, which have no line, only where there are no others. */
function stackText(stack: readonly string[]): string[] {
  const scripted = stack.filter((line) => !line.endsWith(':0)'));
  const shown = scripted.length > 0 ? scripted : stack;
  const lines = shown.slice(0, FRAMES_SHOWN).map((line) => `        ${line}`);
  const left = stack.length - lines.length;
  return left > 0 ? [...lines, `        and ${counted(left, 'more frame')}`] : lines;
}

function warnings(report: Report): string[] {
  if (report.warnings.length === 0) return [];
  return ['', '  warnings', ...report.warnings.map((warning) => `    ${warningText(warning)}`)];
}

function moment(event: EventIndex): string {
  return event < 0 ? 'start' : formatCount(event);
}

function time(value: Nanoseconds | null): string {
  return value === null ? '' : plainSpaces(formatTime(value, undefined, 3));
}

/** Sizes above 2^53 come as strings of digits (REPORT.md). */
function exactBytes(value: Bytes): string {
  return formatCount(BigInt(value));
}

function size(value: Bytes): string {
  return plainSpaces(formatBytes(Number(value)));
}

function bytes(value: Bytes): string {
  return Number(value) < 1024 ? size(value) : `${size(value)} (${exactBytes(value)} B)`;
}

function known(value: Bytes | null): string {
  return value === null ? 'not known' : bytes(value);
}

function counted(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}
