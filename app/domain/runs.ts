import type { DeviceInfo, TraceInfo } from '../contract/engine.ts';
import type { RunRequest, RunSummary, SimulatorInfo, SweepResult } from '../contract/simulation.ts';
import { typedSize } from './size.ts';
import type { Bytes } from './units.ts';

/** Questions about what-if runs that the page and the command line both ask. Pure functions. */

export type Recording = SweepResult['recording'];

/** Settings as the allocator's users write them: `a:1,b:2` for PyTorch (PYTORCH_CUDA_ALLOC_CONF), `a=1, b=2` else. */
export function settingsText({ allocator, settings }: RunRequest): string {
  const [between, after] = isPyTorch(allocator) ? [':', ','] : ['=', ', '];
  return Object.entries(settings)
    .map(([name, value]) => `${name}${between}${writtenValue(allocator, value)}`)
    .join(after);
}

/** From here on a number of bytes is easier to read with a unit. */
const LONG_NUMBER = /^\d{7,15}$/;

function writtenValue(allocator: string, value: string): string {
  if (isPyTorch(allocator)) return value.replace(/^[tf](?=rue$|alse$)/, (first) => first.toUpperCase());
  return LONG_NUMBER.test(value) ? typedSize(Number(value)).replace(' ', '') : value;
}

export function isPyTorch(allocator: string): boolean {
  return allocator === 'pytorch';
}

/** Two runs with one key are the same run. */
export function runKey({ allocator, settings }: RunRequest): string {
  const sorted = Object.entries(settings)
    .map(([name, value]) => [name, value.replace(/^(true|false)$/i, (flag) => flag.toLowerCase())] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([allocator, ...sorted]);
}

/** What the device could still have given at the peak; null without a limit. */
export function roomOf({
  capacity,
  peakReserved,
}: Pick<RunSummary, 'capacity' | 'peakReserved'>): Bytes | null {
  return capacity === null ? null : Math.max(0, capacity - peakReserved);
}

/** Where the size of the device comes from, in the words that say it. */
export function capacityKind({ capacity, capacityFrom }: Recording): Recording['capacityFrom'] | 'unlimited' {
  return capacityFrom === 'given' && capacity === null ? 'unlimited' : capacityFrom;
}

/** Without the settings that are at their defaults. */
export function withoutDefaults(run: RunRequest, simulator: SimulatorInfo | undefined): RunRequest {
  const initial = new Map(simulator?.knobs.map((knob) => [knob.name, knob.initial]));
  const kept = Object.entries(run.settings).filter(([name, value]) => initial.get(name) !== value);
  return { allocator: run.allocator, settings: Object.fromEntries(kept) };
}

/** Why the requests of a device cannot be simulated; null when they can. */
export function whyNotSimulated({
  events,
  hasHistory,
  layout,
}: Pick<DeviceInfo, 'events' | 'hasHistory' | 'layout'>): 'states' | 'totals' | null {
  if (events === 0 || !hasHistory) return 'states';
  return layout === 'totals' ? 'totals' : null;
}

/** What the runs come to, in the words of one sentence. */
export type Answer =
  /** The recording failed; `best` would have survived, and `others` more. */
  | {
      readonly kind: 'survived';
      readonly best: RunSummary;
      readonly others: number;
      readonly room: Bytes | null;
    }
  /** The recording failed, and so did every run; `furthest` came furthest. */
  | { readonly kind: 'none-survived'; readonly furthest: RunSummary }
  /** `best` needs `less` bytes than the recording; `worst` is null when none needs more. */
  | {
      readonly kind: 'less';
      readonly best: RunSummary;
      readonly less: Bytes;
      readonly worst: RunSummary | null;
      readonly more: Bytes;
    }
  /** None needs less; `next` needs least of the others. */
  | { readonly kind: 'none-less'; readonly next: RunSummary; readonly more: Bytes }
  /** What was reserved is not known: `next` needs least, beside the blocks alone. */
  | { readonly kind: 'least'; readonly next: RunSummary }
  /** The device is too small for every run; `furthest` came furthest. */
  | { readonly kind: 'none-fits'; readonly furthest: RunSummary }
  /** There is nothing to compare with. */
  | { readonly kind: 'nothing' };

/** The allocator that a trace is of: the replay's, the simulated one, or the one that writes such captures; else null. */
export function ownAllocator(
  runs: readonly RunSummary[],
  { format, source }: Pick<TraceInfo, 'format' | 'source'>,
): string | null {
  const replay = runs.find((run) => run.reproduces !== null);
  if (replay !== undefined) return replay.allocator;
  if (source.kind === 'simulation') return source.run.allocator;
  return format.startsWith('pytorch') ? 'pytorch' : null;
}

/**
 * What would have helped. Other settings of the recording's own allocator come before other allocators: the one is an
 * environment variable, the other a different program. Models that no driver follows are no answer.
 */
export function answerOf(
  recording: Recording,
  ranked: readonly RunSummary[],
  simulators: readonly SimulatorInfo[],
  own: string | null,
): Answer {
  const models = new Set(simulators.filter((one) => one.isModel).map((one) => one.name));
  const usable = ranked.filter((run) => run.reproduces === null && !models.has(run.allocator));
  const ordered = [
    ...usable.filter((run) => run.allocator === own),
    ...usable.filter((run) => run.allocator !== own),
  ];
  const [first] = ordered;
  if (first === undefined) return { kind: 'nothing' };
  if (recording.failureCount > 0) return survivors(ordered, first);
  return savings(recording, ordered, own) ?? { kind: 'none-fits', furthest: furthestOf(ordered, first) };
}

function survivors(ordered: readonly RunSummary[], first: RunSummary): Answer {
  const alive = ordered.filter((run) => run.failureCount === 0);
  const [best] = alive;
  if (best !== undefined) return { kind: 'survived', best, others: alive.length - 1, room: roomOf(best) };
  return { kind: 'none-survived', furthest: furthestOf(ordered, first) };
}

function furthestOf(runs: readonly RunSummary[], first: RunSummary): RunSummary {
  const reached = (run: RunSummary) => run.firstFailure?.event ?? -1;
  return runs.reduce((far, run) => (reached(run) > reached(far) ? run : far), first);
}

/** Null where no run got through. */
function savings(recording: Recording, ordered: readonly RunSummary[], own: string | null): Answer | null {
  const whole = ordered.filter((run) => run.failureCount === 0);
  const [first] = whole;
  if (first === undefined) return null;
  const least = (one: RunSummary, other: RunSummary) => (other.peakReserved < one.peakReserved ? other : one);
  if (!recording.isReservedKnown) return { kind: 'least', next: whole.reduce(least, first) };
  const best = whole.find((run) => run.peakReserved < recording.peakReserved);
  if (best === undefined) {
    const next = whole.reduce(least, first);
    return { kind: 'none-less', next, more: next.peakReserved - recording.peakReserved };
  }
  const same = whole.filter((run) => run.allocator === (own ?? best.allocator));
  const most = same.reduce<RunSummary>(
    (one, other) => (other.peakReserved > one.peakReserved ? other : one),
    best,
  );
  const more = most.peakReserved - recording.peakReserved;
  const less = recording.peakReserved - best.peakReserved;
  return { kind: 'less', best, less, worst: more > 0 ? most : null, more: Math.max(0, more) };
}
