import * as v from 'valibot';
import {
  type Args,
  type CallOptions,
  type Engine,
  type MethodName,
  methods,
  type Results,
} from '../../app/contract/engine.ts';
import { Allocations } from './allocations/allocations.ts';
import { counterSeries, counters, driver } from './counters.ts';
import { block, event, segment } from './details.ts';
import { engineError, toEngineError } from './errors.ts';
import { holders } from './holders.ts';
import { Live } from './live.ts';
import type { TakeUpload } from './locate.ts';
import { profileRunsIn } from './log-folder.ts';
import { hit, markers, moment, state } from './moments.ts';
import { open } from './open.ts';
import { liveBlocks, map, ranges, series } from './pictures.ts';
import { report } from './report.ts';
import { listSamples } from './samples.ts';
import { decisions, simulate, simulators, sweep } from './simulate.ts';
import { type OpenTrace, Traces } from './traces.ts';

export interface EngineOptions {
  /** Where the files of `open { kind: 'upload' }` come from; without it there are none. */
  readonly takeUpload?: TakeUpload;
}

type Implementation = {
  readonly [M in MethodName]: (args: Args<M>, options: CallOptions) => Results[M] | Promise<Results[M]>;
};

/** An engine for whoever runs it; pages see no more than `call`. */
export interface OwnEngine extends Engine {
  /** Ends recordings and sessions as they should end; after that nothing may be called any more. */
  finish(): Promise<void>;
}

/** The engine: opens traces and answers everything of the contract. Arguments are checked here, whoever sent them. */
export function createEngine(options: EngineOptions = {}): OwnEngine {
  const traces = new Traces();
  const live = new Live();
  const allocations = new Allocations(traces);
  const implementation = implement({ traces, live, allocations }, options.takeUpload ?? (() => undefined));
  return {
    async finish() {
      await Promise.allSettled([live.finish(), allocations.finish()]);
    },
    async call<M extends MethodName>(method: M, args: Args<M>, options: CallOptions = {}) {
      try {
        return await implementation[method](checked(method, args), options);
      } catch (error) {
        throw toEngineError(error);
      }
    },
  };
}

interface Parts {
  readonly traces: Traces;
  readonly live: Live;
  readonly allocations: Allocations;
}

function implement({ traces, live, allocations }: Parts, takeUpload: TakeUpload): Implementation {
  const on =
    <A extends { readonly trace: string }, R>(answer: (entry: OpenTrace, args: A) => R | Promise<R>) =>
    (args: A) =>
      traces.use(args.trace, (entry) => answer(entry, args));
  return {
    open: ({ source }, options) => open(traces, takeUpload, source, options),
    close: ({ trace }) => {
      traces.close(trace);
      return null;
    },
    list: () => traces.list(),
    report: on(report),
    series: on(series),
    liveBlocks: on(liveBlocks),
    ranges: on(ranges),
    map: on(map),
    state: on(state),
    hit: on(hit),
    moment: on(moment),
    block: on(block),
    segment: on(segment),
    event: on(event),
    eventAt: on(({ native }, { device, time }) => native.eventAt(device, time)),
    markers: on(markers),
    sites: on((entry, { device }) => entry.sites(device)),
    holders: on(holders),
    settings: on(({ facts }) => Object.fromEntries(facts.settings)),
    samples: listSamples,
    profileRuns: ({ path }) => profileRunsIn(path),
    simulators,
    simulate: (args, options) => simulate(traces, args, options),
    sweep: (args, options) => traces.use(args.trace, (entry) => sweep(entry, args, options)),
    decisions: (args, options) => traces.use(args.trace, (entry) => decisions(entry, args, options)),
    liveStart: (args) => live.start(args),
    live: (args) => live.now(args),
    liveSeries: (args) => live.series(args),
    liveRate: (args) => live.rate(args),
    liveWatch: (args) => live.watch(args),
    liveMark: (args) => live.mark(args),
    liveRecord: () => live.record(),
    liveRecordStop: () => live.stopRecording(),
    allocationsListen: () => allocations.listen(),
    allocations: () => allocations.now(),
    allocationsWatch: ({ session }) => allocations.watch(session),
    allocationsStop: ({ session }) => allocations.stop(session),
    allocationsSave: ({ session }) => allocations.save(session),
    allocationsDiscard: ({ name }) => allocations.discard(name),
    allocationsRestore: ({ name }) => allocations.restore(name),
    allocationsClose: () => allocations.close(),
    counters: on(counters),
    counterSeries: on(counterSeries),
    driver: on(driver),
  };
}

/** The arguments as the contract describes them. Errors: "bad-arguments", naming the first that is wrong. */
function checked<M extends MethodName>(method: M, args: unknown): Args<M> {
  if (!Object.hasOwn(methods, method)) {
    throw engineError('no-such-method', `The engine has no method "${String(method)}".`);
  }
  const parsed = v.safeParse(methods[method], args);
  if (parsed.success) return parsed.output as Args<M>;
  const [issue] = parsed.issues;
  const name = v.getDotPath(issue) ?? 'arguments';
  throw engineError(
    'bad-arguments',
    `Argument "${name}" of "${method}" is not as it must be: ${issue.message}`,
  );
}
