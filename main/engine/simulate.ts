import type { Args, CallOptions, Results, Stage, TraceInfo } from '../../app/contract/engine.ts';
import type { CostModel, RunCaveat, RunSummary } from '../../app/contract/simulation.ts';
import { DEFAULT_COST_MODEL, estimateCost } from '../../app/domain/cost-model.ts';
import { whyNotSimulated } from '../../app/domain/runs.ts';
import { loadAddon } from './addon.ts';
import { cancelled, engineError } from './errors.ts';
import type { NativeJob, NativeProgress, NativeTrace } from './native.ts';
import type {
  NativeDecision,
  NativeRequests,
  NativeRun,
  NativeSimulation,
  NativeSweep,
} from './native-runs.ts';
import { hex } from './quantities.ts';
import { momentOf, recordedRun } from './recorded-run.ts';
import type { OpenTrace, Traces } from './traces.ts';

/** "What if": the requests of an open trace through simulated allocators. */

export function simulators(): Results['simulators'] {
  return loadAddon()
    .simulators()
    .map(({ knowsPools: _, ...simulator }) => simulator);
}

/** Errors: "unknown-allocator", "unknown-setting", "bad-setting", "missing-setting", "start-refused", "nothing-to-simulate", "no-history", "no-addresses", "cancelled". */
export async function simulate(
  traces: Traces,
  args: Args<'simulate'>,
  options: CallOptions,
): Promise<Results['simulate']> {
  const { device, run, capacity, columns } = args;
  const entry = traces.get(args.trace);
  checkRequests(entry, device);
  const simulated: NativeSimulation = await finish(options, (progress) =>
    entry.native.simulate(device, run, capacity, columns, args.keep, progress),
  );
  return {
    summary: summaryOf(entry, device, simulated.run, simulated, args.costModel ?? DEFAULT_COST_MODEL),
    trace: simulated.trace === null ? null : keep(traces, entry, simulated.trace, args),
  };
}

/** Errors: "no-history", "no-addresses". */
function checkRequests({ info }: OpenTrace, device: number): void {
  const facts = info.devices[device];
  const why = facts === undefined ? null : whyNotSimulated(facts);
  if (why === 'states') {
    throw engineError(
      'no-history',
      'This capture holds states and not what happened between them, so there are no requests to simulate.',
      'Record the history; for PyTorch, call torch.cuda.memory._record_memory_history() before the model is built.',
    );
  }
  if (why === 'totals') {
    throw engineError(
      'no-addresses',
      'This capture does not say where blocks lie, so which allocation a free ended is not known.',
      'Record one with addresses: a memory snapshot, or a profile of PyTorch 1.10 or newer.',
    );
  }
}

/** A run as an open trace of its own, named after what was simulated and how. */
function keep(
  traces: Traces,
  entry: OpenTrace,
  native: NativeTrace,
  { trace: of, device, run }: Args<'simulate'>,
): TraceInfo {
  const origin = {
    name: `${entry.info.name} · ${run.allocator}`,
    path: null,
    source: { kind: 'simulation', of, device, run },
    fileBytes: 0,
  } as const;
  return traces.add(native, origin, []).info;
}

/** Errors: those of `simulate` but the settings', which are answered run by run. */
export async function sweep(
  entry: OpenTrace,
  args: Args<'sweep'>,
  options: CallOptions,
): Promise<Results['sweep']> {
  const { device, runs, capacity, columns } = args;
  const costModel = args.costModel ?? DEFAULT_COST_MODEL;
  checkRequests(entry, device);
  const swept: NativeSweep = await finish(options, (progress) =>
    entry.native.sweep(device, runs, capacity, columns, progress),
  );
  return {
    recording: await recordedRun(entry, device, columns, swept, costModel),
    runs: swept.runs.map((run) => summaryOf(entry, device, run, swept, costModel)),
    refused: swept.refused.map(({ allocator, settings, code, message }) => ({
      run: { allocator, settings },
      code,
      message,
    })),
  };
}

/** Waits for a job that reports progress and can be cancelled. */
async function finish<Result>(
  { signal, onProgress }: CallOptions,
  start: (progress: NativeProgress) => NativeJob<Result>,
): Promise<Result> {
  if (signal?.aborted === true) throw cancelled();
  const job = start((stage, done, total, events) =>
    onProgress?.({ stage: stage as Stage, done, total, events }),
  );
  const cancel = () => job.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    return await job.promise;
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

function summaryOf(
  entry: OpenTrace,
  device: number,
  run: NativeRun,
  common: Pick<NativeSimulation, 'capacity' | 'requests'>,
  costModel: CostModel,
): RunSummary {
  const at = (event: number) => momentOf(entry, device, event);
  const { firstFailure: failure, reserved, active, ...numbers } = run;
  return {
    ...numbers,
    capacity: common.capacity.bytes,
    capacityFrom: common.capacity.from,
    lowerBound: common.requests.lowerBound,
    peakReservedAt: at(run.peakReservedAt),
    peakFragmentation:
      run.peakFragmentation < 0 ? null : { value: run.peakFragmentation, at: at(run.peakFragmentationAt) },
    estimatedCostNs: estimateCost(run.calls, costModel),
    firstFailure: failure === null ? null : { ...failure, ...at(failure.event) },
    caveats: caveatsOf(entry, device, run, common.requests),
    timeline: { reserved, active },
  };
}

/** Why a run's numbers may differ from what a real one would show. One that follows the recording owns up to less. */
function caveatsOf(
  entry: OpenTrace,
  device: number,
  run: NativeRun,
  requests: NativeRequests,
): readonly RunCaveat[] {
  const facts = entry.facts.devices[device];
  const isFollowing = run.reproduces !== null;
  const isEstimated = facts?.exactness.verdict === 'estimated' || facts?.exactness.verdict === 'mismatch';
  const all: readonly RunCaveat[] = [
    { code: 'recorded-stream-frees', count: requests.streamFrees },
    { code: 'older-blocks', count: isFollowing ? 0 : requests.olderBlocks },
    { code: 'estimated-trace', count: isEstimated ? 1 : 0 },
    { code: 'failed-requests-asked', count: requests.failedRequests },
    { code: 'pools-merged', count: knowsPools(run.allocator) ? 0 : requests.privatePools },
    { code: 'unmatched-frees', count: requests.unmatchedFrees },
    { code: 'rounded-requests', count: facts?.areRequestsKnown === false ? requests.requests : 0 },
  ];
  return all.filter(({ count }) => count > 0);
}

function knowsPools(allocator: string): boolean {
  return (
    loadAddon()
      .simulators()
      .find(({ name }) => name === allocator)?.knowsPools ?? false
  );
}

/** Errors: "not-a-simulation", "bad-arguments", "cancelled". */
export async function decisions(
  entry: OpenTrace,
  { device, event }: Args<'decisions'>,
  options: CallOptions,
): Promise<Results['decisions']> {
  const steps: readonly NativeDecision[] = await finish(options, (progress) =>
    entry.native.decisions(device, event, progress),
  );
  return steps.map((one) => ({ ...one, address: one.address === null ? null : hex(one.address) }));
}
