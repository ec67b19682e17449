import { basename } from 'node:path';
import type { TraceInfo } from '../../../app/contract/engine.ts';
import { engineError } from '../errors.ts';
import type { NativeTrace } from '../native.ts';
import type { Traces } from '../traces.ts';
import type { Session } from './session.ts';

/** A trace is made anew at most so often … */
const LEAST_PAUSE_MS = 500;
/** … and never takes more than one part in so many of the time: what costs 1 s is made every 4 s. */
const COST_SHARE = 4;

/** When the next trace may be made, after one that was begun then and took so long. */
export function nextGrowth(begunAt: number, costMs: number): number {
  return begunAt + Math.max(LEAST_PAUSE_MS, COST_SHARE * costMs);
}

/**
 * One session as a trace that grows. Lines are read once, as they arrive; the trace, with all that is computed of it,
 * is made anew from a copy of the rows, on other threads, at the pace above and only while somebody looks.
 */
export class Growth {
  readonly #name: string;
  readonly #session: Session;
  readonly #traces: Traces;
  #trace: string | null = null;
  #revision = 0;
  #shownLines = 0;
  #isOverShown = false;
  #making: Promise<TraceInfo> | null = null;
  #nextAt = 0;

  constructor(name: string, session: Session, traces: Traces) {
    this.#name = name;
    this.#session = session;
    this.#traces = traces;
  }

  /** The trace as it is shown now; null when it was never watched, or was closed. */
  get info(): TraceInfo | null {
    if (this.#trace !== null && !this.#traces.has(this.#trace)) this.#trace = null;
    return this.#trace === null ? null : this.#traces.get(this.#trace).info;
  }

  /** Errors: "nothing-received". */
  async watch(): Promise<TraceInfo> {
    const shown = this.info;
    if (shown !== null) return shown;
    if (this.#session.growth.events + this.#session.growth.held === 0) {
      throw engineError('nothing-received', 'No event has arrived yet.', 'Wait for the program to allocate.');
    }
    return this.#grow();
  }

  /** Somebody looks: the trace grows when there is more, and it is time. */
  look(): void {
    const { growth, ending } = this.#session;
    if (this.info === null || this.#making !== null || performance.now() < this.#nextAt) return;
    const hasMore = growth.lines > this.#shownLines || (ending !== null && !this.#isOverShown);
    // A trace that cannot be made stays as it was; the next look tries again.
    if (hasMore) this.#grow().catch(() => {});
  }

  /** The recording lies elsewhere now. */
  moved(): void {
    this.#isOverShown = false;
    this.#nextAt = 0;
  }

  #grow(): Promise<TraceInfo> {
    this.#making ??= this.#make().finally(() => {
      this.#making = null;
    });
    return this.#making;
  }

  async #make(): Promise<TraceInfo> {
    const begunAt = performance.now();
    const { growth, ending, path, hello } = this.#session;
    const native: NativeTrace = await this.#session.growing.trace(() => {}).promise;
    this.#nextAt = nextGrowth(begunAt, performance.now() - begunAt);
    this.#shownLines = growth.lines;
    this.#isOverShown = ending !== null;
    this.#revision += 1;
    const origin = {
      name: this.#session.isSaved ? basename(path) : hello.producer,
      path,
      source: { kind: 'path' as const, path },
      fileBytes: growth.bytes,
      growth: { session: this.#name, revision: this.#revision, isOver: ending !== null },
    };
    const isShown = this.info !== null;
    const entry =
      isShown && this.#trace !== null
        ? this.#traces.replace(this.#trace, native, origin)
        : this.#traces.add(native, origin, []);
    this.#trace = entry.info.trace;
    return entry.info;
  }
}
