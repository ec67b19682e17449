import type { NativeJob, NativeProgress, NativeTrace } from './native.ts';

/** What the addon exports of captures that are being received, as native/binding/growing_trace.cc expresses it. */
export interface NativeGrowingTrace {
  /** Whole lines, each with its end. */
  append(lines: Uint8Array): NativeGrowth;
  /** A trace of what has arrived; one at a time. Fails while nothing has arrived. */
  trace(onProgress: NativeProgress): NativeJob<NativeTrace>;
}

/** What has arrived so far. */
export interface NativeGrowth {
  readonly lines: number;
  readonly bytes: number;
  /** As many as a trace of it would have now. */
  readonly events: number;
  /** Blocks that were there before the first of them. */
  readonly held: number;
  readonly dropped: number;
  readonly gaps: number;
  readonly unreadable: number;
  readonly unreadableLine: number;
  readonly unreadableByte: number;
}
