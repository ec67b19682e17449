import type { RunMoment, RunSummary, SweepResult } from '../../app/contract/simulation.ts';
import { DEFAULT_COST_MODEL } from '../../app/domain/cost-model.ts';
import { type Recording, roomOf } from '../../app/domain/runs.ts';
import type { OpenedDevice } from './opened-device.ts';

/** Runs as SIMULATE.md describes them. */

export function simulateJson(
  file: string,
  opened: OpenedDevice,
  recording: Recording,
  run: RunSummary,
): string {
  return write({
    schema: 'strata.simulate/1',
    ...head(file, opened),
    recording: recordingOf(recording),
    run: runOf(run, recording),
  });
}

export function sweepJson(
  file: string,
  opened: OpenedDevice,
  result: SweepResult,
  answer: { readonly sentence: string; readonly models: ReadonlySet<string> },
): string {
  return write({
    schema: 'strata.sweep/1',
    ...head(file, opened),
    answer: answer.sentence,
    recording: recordingOf(result.recording),
    runs: result.runs.map((run) => ({
      ...runOf(run, result.recording),
      is_model: answer.models.has(run.allocator),
    })),
    refused: result.refused.map(({ run, code, message }) => ({ ...run, code, message })),
  });
}

function head(file: string, { info, device, damage }: OpenedDevice) {
  return {
    file,
    complete: damage.length === 0,
    device: device.ordinal,
    has_clock: info.hasClock,
    cost_model_ns: DEFAULT_COST_MODEL,
  };
}

function runOf(run: RunSummary, recording: Recording) {
  return {
    allocator: run.allocator,
    settings: run.settings,
    ...numbersOf(run),
    against_recording: run.peakReserved - recording.peakReserved,
    reproduces: run.reproduces,
    caveats: run.caveats,
  };
}

function recordingOf(recording: Recording) {
  return { reserved_known: recording.isReservedKnown, ...numbersOf(recording) };
}

function numbersOf(run: Recording | RunSummary) {
  const { peakFragmentation, firstFailure } = run;
  return {
    capacity: run.capacity,
    capacity_from: run.capacityFrom,
    room: roomOf(run),
    peak_reserved: { bytes: run.peakReserved, ...momentOf(run.peakReservedAt) },
    final_reserved: run.finalReserved,
    peak_allocated: run.peakAllocated,
    lower_bound: run.lowerBound,
    at_peak: {
      active: run.activeAtPeak,
      free: run.freeAtPeak,
      largest_free: run.largestFreeAtPeak,
    },
    peak_fragmentation:
      peakFragmentation === null
        ? null
        : {
            formula: '1 - largest_free / free',
            value: peakFragmentation.value,
            ...momentOf(peakFragmentation.at),
          },
    requests: run.requests,
    calls: run.calls,
    estimated_cost_ns: run.estimatedCostNs,
    failures: run.failureCount,
    first_failure:
      firstFailure === null
        ? null
        : {
            ...momentOf(firstFailure),
            requested: firstFailure.requested,
            free: firstFailure.free,
            largest_free: firstFailure.largestFree,
            device_free: firstFailure.deviceFree,
          },
  };
}

function momentOf({ event, time }: RunMoment) {
  return { event, time_ns: time };
}

function write(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
