import type { RunMoment, RunRequest, RunSummary, SweepResult } from '../../app/contract/simulation.ts';
import { countCalls, DEFAULT_COST_MODEL } from '../../app/domain/cost-model.ts';
import {
  formatByteDifference,
  formatBytes,
  formatCount,
  formatCursorTime,
  formatDuration,
  formatPercent,
  plainSpaces,
  timeUnitOf,
} from '../../app/domain/format.ts';
import { type Answer, capacityKind, type Recording, roomOf, settingsText } from '../../app/domain/runs.ts';
import { visibleText } from '../../app/domain/visible-text.ts';
import type { OpenedDevice } from './opened-device.ts';
import { alignTable, type Cell, right } from './table.ts';
import { sentence } from './words.ts';

/** Runs for people: the answer in a sentence, the numbers in a table, and why they may differ from a real run's. */

export function simulateText(
  file: string,
  opened: OpenedDevice,
  recording: Recording,
  run: RunSummary,
): string {
  return written([
    ...head(file, opened),
    `  ${runName(run)}`,
    '',
    `  ${comparison(run, recording)}`,
    '',
    ...alignTable(numberRows(run, recording, opened), '    '),
    ...failureLines(run, opened),
    ...notes([run], recording),
  ]);
}

export function sweepText(
  file: string,
  opened: OpenedDevice,
  result: SweepResult,
  answer: { readonly sentence: string; readonly models: ReadonlySet<string> },
): string {
  return written([
    ...head(file, opened),
    '',
    `  ${answer.sentence}`,
    '',
    ...alignTable(sweepRows(result, answer.models, opened), '    '),
    ...result.refused.map(
      ({ run, message }) => `    ${sentence('refused', { name: runName(run), message })}`,
    ),
    ...notes(result.runs, result.recording),
  ]);
}

/** The sentence of the What-if view, with the allocators' own names. */
export function answerText(
  answer: Answer,
  own: string | null,
  recording: Recording,
  opened: OpenedDevice,
): string {
  const name = (run: RunRequest) => {
    if (run.allocator !== own) return runName(run);
    return settingsText(run) || sentence('defaults');
  };
  const requests = formatCount(recording.requests);
  const peak = size(recording.peakReserved);
  switch (answer.kind) {
    case 'survived':
      return answer.room === null
        ? sentence('sentence.survivedUnlimited', {
            best: name(answer.best),
            peak: size(answer.best.peakReserved),
          })
        : sentence('sentence.survived', {
            best: name(answer.best),
            room: size(answer.room),
            count: answer.others,
          });
    case 'none-survived':
    case 'none-fits': {
      const { firstFailure } = answer.furthest;
      const moment = firstFailure === null ? '' : momentText(firstFailure, opened);
      const key = answer.kind === 'none-fits' ? 'sentence.noneFits' : 'sentence.noneSurvived';
      return sentence(key, { best: name(answer.furthest), moment });
    }
    case 'less': {
      const values = { requests, best: name(answer.best), less: size(answer.less) };
      if (answer.worst === null) return sentence('sentence.less', values);
      const worst = name(answer.worst);
      return sentence('sentence.lessAndMore', { ...values, worst, more: size(answer.more) });
    }
    case 'none-less':
      return answer.more === 0
        ? sentence('sentence.noneLessSame', { peak, next: name(answer.next) })
        : sentence('sentence.noneLess', { peak, next: name(answer.next), more: size(answer.more) });
    case 'least':
      return sentence('sentence.least', {
        blocks: peak,
        next: name(answer.next),
        peak: size(answer.next.peakReserved),
      });
    case 'nothing':
      return sentence('sentence.nothing');
  }
}

function written(lines: readonly string[]): string {
  return `${lines.map(visibleText).join('\n')}\n`;
}

function head(file: string, { info, device }: OpenedDevice): string[] {
  const many = info.devices.length > 1 ? ` of ${info.devices.length}` : '';
  return [file, `  device ${device.ordinal}${many} ${device.kind}, ${formatCount(device.events)} events`];
}

/** "pytorch with expandable_segments:True". */
export function runName(run: RunRequest): string {
  const settings = settingsText(run);
  return settings === '' ? run.allocator : `${run.allocator} with ${settings}`;
}

/** One run against the recording, in a sentence. */
function comparison(run: RunSummary, recording: Recording): string {
  const { firstFailure } = run;
  const room = roomOf(run);
  const difference = run.peakReserved - recording.peakReserved;
  if (recording.failureCount > 0) {
    if (firstFailure !== null) return 'The recording ran out of memory, and so does this run.';
    const spare = room === null ? '' : `, with ${size(room)} to spare`;
    return `The recording ran out of memory. This run survives${spare}.`;
  }
  if (firstFailure !== null) return 'This run fails, which the recording did not.';
  if (!recording.isReservedKnown) {
    const [need, blocks] = [size(run.peakReserved), size(recording.peakReserved)];
    return `The peak is ${need}, of which the blocks alone are ${blocks}; what was reserved then is not known.`;
  }
  if (difference === 0) return `The peak is the same as recorded: ${size(run.peakReserved)}.`;
  return `The peak is ${size(Math.abs(difference))} ${difference < 0 ? 'lower' : 'higher'} than recorded.`;
}

type Numbers = Recording | RunSummary;

function numberRows(run: RunSummary, recording: Recording, opened: OpenedDevice): Cell[][] {
  const bytes = (label: string, read: (numbers: Numbers) => number | null): Cell[] => [
    label,
    ...[run, recording].flatMap((numbers) => {
      const value = read(numbers);
      return value === null
        ? [right(''), right('no limit')]
        : [right(formatCount(value)), right(size(value))];
    }),
  ];
  const plain = (label: string, read: (numbers: Numbers) => string): Cell[] => [
    label,
    right(''),
    right(read(run)),
    right(''),
    right(read(recording)),
  ];
  return [
    ['', right('this run'), '', right(recording.isReservedKnown ? 'recording' : 'blocks alone'), ''],
    bytes('peak reserved', (one) => one.peakReserved),
    plain('  at', (one) => momentText(one.peakReservedAt, opened)),
    bytes('  active then', (one) => one.activeAtPeak),
    bytes('  free then', (one) => one.freeAtPeak),
    bytes('  largest hole then', (one) => one.largestFreeAtPeak),
    bytes('final reserved', (one) => one.finalReserved),
    bytes('lower bound', (one) => one.lowerBound),
    bytes('device memory', (one) => one.capacity),
    plain('highest fragmentation', (one) =>
      one.peakFragmentation === null ? 'nothing free' : percent(one.peakFragmentation.value),
    ),
    plain('driver calls', (one) => formatCount(countCalls(one.calls))),
    plain('estimated cost', (one) => `~ ${duration(one.estimatedCostNs)}`),
    plain('failed requests', (one) => formatCount(one.failureCount)),
  ];
}

function failureLines(run: RunSummary, opened: OpenedDevice): string[] {
  const failure = run.firstFailure;
  if (failure === null) return [];
  const values = {
    moment: momentText(failure, opened),
    asked: size(failure.requested),
    free: size(failure.free),
    hole: size(failure.largestFree),
  };
  const { deviceFree } = failure;
  return [
    '',
    `  ${
      deviceFree === null
        ? sentence('inspector.failedUnknown', values)
        : sentence('inspector.failed', { ...values, device: size(deviceFree) })
    }`,
  ];
}

function sweepRows(
  { recording, runs }: SweepResult,
  models: ReadonlySet<string>,
  opened: OpenedDevice,
): Cell[][] {
  const replays = runs.filter((run) => run.reproduces !== null);
  const rest = runs.filter((run) => run.reproduces === null);
  const others = [
    ...rest.filter((run) => !models.has(run.allocator)),
    ...rest.filter((run) => models.has(run.allocator)),
  ];
  const row = (name: string, run: Numbers): Cell[] => [name, ...rowOf(run, recording, opened)];
  return [
    [
      'run',
      right('peak reserved'),
      right('vs recorded'),
      right('free at peak'),
      right('largest hole'),
      right('driver calls'),
      right('cost, ~'),
      'failed at',
    ],
    ...replays.map((run) => row(`${runName(run)} (as recorded)`, run)),
    ...(replays.length === 0 ? [row(recordingName(recording), recording)] : []),
    ...others.map((run) => row(runName(run) + (models.has(run.allocator) ? ' (model)' : ''), run)),
  ];
}

function recordingName({ isReservedKnown }: Recording): string {
  return isReservedKnown ? 'the recording' : 'the recorded blocks alone';
}

function rowOf(run: Numbers, recording: Recording, opened: OpenedDevice): Cell[] {
  const difference = run.peakReserved - recording.peakReserved;
  return [
    right(size(run.peakReserved)),
    right(difference === 0 ? 'same' : plainSpaces(formatByteDifference(difference))),
    right(size(run.freeAtPeak)),
    right(size(run.largestFreeAtPeak)),
    right(formatCount(countCalls(run.calls))),
    right(duration(run.estimatedCostNs)),
    run.firstFailure === null ? '' : momentText(run.firstFailure, opened),
  ];
}

/** What the numbers stand on: the device, the replay, the caveats, the cost model. */
function notes(runs: readonly RunSummary[], recording: Recording): string[] {
  const lines = [
    sentence(`inspector.capacityIs.${capacityKind(recording)}`, {
      bytes: recording.capacity === null ? '' : size(recording.capacity),
    }),
    ...runs.flatMap(({ reproduces }) => (reproduces === null ? [] : [reproducesText(reproduces)])),
    ...caveatsOf(runs),
    costText(),
  ];
  return ['', ...lines.map((line) => `  ${line}`)];
}

function reproducesText({ placements, matched }: NonNullable<RunSummary['reproduces']>): string {
  if (placements === matched) return sentence('reproduces.all', { count: placements });
  return sentence('reproduces.some', {
    matched: formatCount(matched),
    placements: formatCount(placements),
  });
}

/** Each once, with its highest count among the runs. */
function caveatsOf(runs: readonly RunSummary[]): string[] {
  const most = new Map<string, number>();
  for (const { code, count } of runs.flatMap((run) => run.caveats)) {
    most.set(code, Math.max(count, most.get(code) ?? 0));
  }
  return [...most].map(([code, count]) => sentence(`caveat.${code}`, { count }));
}

function costText(): string {
  const { allocate, free, map, unmap, synchronize } = DEFAULT_COST_MODEL;
  const each = `${duration(allocate)} to allocate, ${duration(free)} to free, ${duration(map)} to map, `;
  return `Costs are estimates: calls x ${each}${duration(unmap)} to unmap, ${duration(synchronize)} to synchronize.`;
}

/** A time where the capture has a clock, else the event. */
function momentText({ event, time }: RunMoment, { info }: OpenedDevice): string {
  if (event < 0) return 'the start';
  return time === null
    ? `event ${formatCount(event)}`
    : plainSpaces(formatCursorTime(time, timeUnitOf(info.durationNs)));
}

const size = (bytes: number) => plainSpaces(formatBytes(bytes));
const duration = (nanoseconds: number) => plainSpaces(formatDuration(nanoseconds));
const percent = (share: number) => plainSpaces(formatPercent(share));
