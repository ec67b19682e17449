import * as v from 'valibot';
import type { Bytes } from '../domain/units.ts';
import type { TraceInfo } from './engine.ts';
import type { EngineErrorData } from './error.ts';

/**
 * Live allocations: programs stream the events of their allocators to Strata while they run, as
 * main/engine/allocations/PROTOCOL.md describes. Each program is a session with a recording of its own.
 */

const session = v.pipe(v.string(), v.regex(/^s[0-9]{1,9}$/));
/** Of a recording that an earlier run left. */
const leftName = v.pipe(v.string(), v.minLength(1), v.maxLength(300));

export const allocationMethods = {
  /** Starts to listen, or says where it listens already. */
  allocationsListen: v.object({}),
  /** How things stand. Traces that are watched grow while this is asked now and then. */
  allocations: v.object({}),
  /** Shows a session as a trace, which grows from then on. */
  allocationsWatch: v.object({ session }),
  /** Ends a session: its program is told, and its recording is closed. */
  allocationsStop: v.object({ session }),
  /** Moves the recording of an ended session into the folder of recordings. */
  allocationsSave: v.object({ session }),
  /** Marks a recording that an earlier run left to be deleted, unless it is restored within some seconds. */
  allocationsDiscard: v.object({ name: leftName }),
  /** Takes that back. */
  allocationsRestore: v.object({ name: leftName }),
  /** Ends every session and listens no more. */
  allocationsClose: v.object({}),
} as const;

/** Where Strata listens. */
export interface AllocationsEndpoint {
  /** As a program names it: "unix:PATH", or "tcp:127.0.0.1:PORT:TOKEN". */
  readonly address: string;
  /** A program on this machine finds it without being told. */
  readonly isUsual: boolean;
  /** The folder of the Python module, or null where it does not ship. */
  readonly pythonFolder: string | null;
}

/** "by-program": it said so; "stopped": by the user; "closed": with Strata; "lost": it went without a word; the others are faults. */
export type SessionEnd = 'by-program' | 'stopped' | 'closed' | 'lost' | 'limit' | 'disk' | 'refused';

export interface AllocationSession {
  readonly session: string;
  /** As the program calls itself. */
  readonly producer: string;
  readonly pid: number | null;
  /** "away": the connection broke off; the program may come back and go on. */
  readonly state: 'connected' | 'away' | 'ended';
  readonly end: SessionEnd | null;
  /** Why it ended, where that needs a sentence. */
  readonly problem: EngineErrorData | null;
  /** Milliseconds since the Unix epoch. */
  readonly startedMs: number;
  /** In the trace; what was there before the first of them is none. */
  readonly events: number;
  /** Blocks that were there before. */
  readonly held: number;
  /** Events a second, over the last two seconds. */
  readonly rate: number;
  /** Events that the program says are missing, as far as their number is known, and in how many gaps. */
  readonly dropped: number;
  readonly gaps: number;
  /** Lines that are no events; the first by its place in the recording. */
  readonly unreadable: { readonly count: number; readonly line: number; readonly byte: number } | null;
  /** Bytes of lines that never got their end because a connection broke off; they are left out. */
  readonly cutBytes: Bytes;
  readonly path: string;
  readonly bytes: Bytes;
  /** The recording ends when it would become larger. */
  readonly limitBytes: Bytes;
  readonly isSaved: boolean;
  /** The trace it is shown as, or null. */
  readonly trace: TraceInfo | null;
}

/** A recording that an earlier run of Strata left behind, unsaved. */
export interface LeftRecording {
  readonly path: string;
  readonly name: string;
  readonly bytes: Bytes;
  readonly changedMs: number;
  /** It is about to be deleted, and can still be restored. */
  readonly isDiscarded: boolean;
}

export interface AllocationsNow {
  /** Null: not listening. */
  readonly endpoint: AllocationsEndpoint | null;
  /** The newest first. */
  readonly sessions: readonly AllocationSession[];
  /** Connections that were turned away, and the last one's reason. */
  readonly refused: { readonly count: number; readonly last: EngineErrorData } | null;
  readonly left: readonly LeftRecording[];
}

export interface AllocationResults {
  allocationsListen: AllocationsNow;
  allocations: AllocationsNow;
  allocationsWatch: TraceInfo;
  allocationsStop: AllocationsNow;
  allocationsSave: AllocationsNow;
  allocationsDiscard: AllocationsNow;
  allocationsRestore: AllocationsNow;
  allocationsClose: null;
}
