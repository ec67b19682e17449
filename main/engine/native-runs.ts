import type { DecisionInfo, DriverCalls, RunSummary, SimulatorInfo } from '../../app/contract/simulation.ts';
import type { NativeTrace } from './native.ts';

/** What-if runs as native/binding/express_runs.cc expresses them; moments are events of the recording. */

export interface NativeSimulator extends SimulatorInfo {
  /** Whether private pools mean anything to it. */
  readonly knowsPools: boolean;
}

export interface NativeRun {
  readonly allocator: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly peakReserved: number;
  readonly peakReservedAt: number;
  readonly finalReserved: number;
  readonly peakAllocated: number;
  readonly activeAtPeak: number;
  readonly freeAtPeak: number;
  readonly largestFreeAtPeak: number;
  /** -1 when nothing was ever free. */
  readonly peakFragmentation: number;
  readonly peakFragmentationAt: number;
  readonly requests: number;
  readonly calls: DriverCalls;
  readonly failureCount: number;
  readonly firstFailure: {
    readonly event: number;
    readonly requested: number;
    readonly free: number;
    readonly largestFree: number;
    readonly deviceFree: number | null;
  } | null;
  readonly reproduces: RunSummary['reproduces'];
  readonly reserved: Float64Array;
  readonly active: Float64Array;
}

/** What the recording's requests are, and what of them makes runs estimates. */
export interface NativeRequests {
  readonly lowerBound: number;
  readonly requests: number;
  readonly streamFrees: number;
  readonly olderBlocks: number;
  readonly failedRequests: number;
  readonly privatePools: number;
  readonly unmatchedFrees: number;
}

interface NativeRunCommon {
  readonly capacity: { readonly bytes: number | null; readonly from: RunSummary['capacityFrom'] };
  readonly requests: NativeRequests;
}

export interface NativeSimulation extends NativeRunCommon {
  readonly run: NativeRun;
  readonly trace: NativeTrace | null;
}

export interface NativeSweep extends NativeRunCommon {
  readonly runs: readonly NativeRun[];
  readonly refused: readonly {
    readonly allocator: string;
    readonly settings: Readonly<Record<string, string>>;
    readonly code: string;
    readonly message: string;
  }[];
  /** As the recording's segment events count them. */
  readonly calls: DriverCalls;
}

export interface NativeDecision extends Omit<DecisionInfo, 'address'> {
  readonly address: bigint | null;
}
