import { renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import type {
  AllocationSession,
  AllocationsEndpoint,
  AllocationsNow,
} from '../../../app/contract/allocations.ts';
import type { TraceInfo } from '../../../app/contract/engine.ts';
import { engineError, systemReason } from '../errors.ts';
import { findShipped } from '../locations.ts';
import { recordingsFolder } from '../recordings-folder.ts';
import type { Traces } from '../traces.ts';
import { factsOf } from './facts.ts';
import { Growth } from './growth.ts';
import { LeftRecordings, unsavedFolder } from './left-recordings.ts';
import { Listener } from './listener.ts';
import { freePath, unsavedName, withoutProcess } from './recording-name.ts';
import type { Session } from './session.ts';

/** Of each recording that the application receives; the command line has an option for it. */
const LIMIT_BYTES = 4 * 1024 ** 3;

/** Live allocations of one engine: it listens when a page asks for it, and every session can be shown as a trace. */
export class Allocations {
  readonly #traces: Traces;
  readonly #left = new LeftRecordings();
  #listener: Listener | null = null;
  #starting: Promise<Listener> | null = null;
  /** In the order in which they began, named s1, s2, …; those of a listener that was closed stay. */
  readonly #shown: { readonly session: Session; readonly growth: Growth }[] = [];

  constructor(traces: Traces) {
    this.#traces = traces;
  }

  /** Errors: those of Listener.start. */
  async listen(): Promise<AllocationsNow> {
    this.#starting ??= this.#start();
    try {
      this.#listener = await this.#starting;
    } finally {
      if (this.#listener === null) this.#starting = null;
    }
    return this.now();
  }

  now(): AllocationsNow {
    for (const { growth } of this.#shown) growth.look();
    return {
      endpoint: this.#listener === null ? null : endpointOf(this.#listener),
      sessions: this.#shown.map((_, position) => this.#describe(position)).reverse(),
      refused: this.#listener?.refused ?? null,
      left: this.#listener === null ? [] : this.#left.list(),
    };
  }

  /** Errors: "nothing-received" before the first event, "no-such-session". */
  watch(name: string): Promise<TraceInfo> {
    return this.#get(name).growth.watch();
  }

  async stop(name: string): Promise<AllocationsNow> {
    const { session } = this.#get(name);
    await session.end({ end: session.holder === null ? 'lost' : 'stopped', problem: null });
    return this.now();
  }

  /** Errors: "recording-active", "recording-failed". */
  save(name: string): AllocationsNow {
    const { session, growth } = this.#get(name);
    if (session.ending === null) {
      throw engineError('recording-active', 'This recording is still being made.', 'Stop it first.');
    }
    if (!session.isSaved) {
      const path = freePath(join(recordingsFolder(), withoutProcess(basename(session.path))));
      try {
        renameSync(session.path, path);
      } catch (error) {
        throw engineError('recording-failed', `The recording cannot be moved: ${systemReason(error)}.`);
      }
      session.path = path;
      session.isSaved = true;
      growth.moved();
    }
    return this.now();
  }

  /** Errors: "no-such-recording". */
  discard(name: string): AllocationsNow {
    this.#left.discard(name);
    return this.now();
  }

  /** Errors: "no-such-recording". */
  restore(name: string): AllocationsNow {
    this.#left.restore(name);
    return this.now();
  }

  /** Ends every session, and what was discarded: the engine ends. */
  async finish(): Promise<void> {
    this.#left.finish();
    await this.close();
  }

  async close(): Promise<null> {
    const listener = this.#listener;
    this.#listener = null;
    this.#starting = null;
    await listener?.close();
    return null;
  }

  #start(): Promise<Listener> {
    return Listener.start({
      endpoint: null,
      limitBytes: LIMIT_BYTES,
      pathFor: (hello) => freePath(join(unsavedFolder(), unsavedName(hello.producer))),
      onSession: (session) => {
        const name = `s${this.#shown.length + 1}`;
        this.#shown.push({ session, growth: new Growth(name, session, this.#traces) });
      },
    });
  }

  #get(name: string) {
    const found = this.#shown[Number(name.slice(1)) - 1];
    if (found === undefined) throw engineError('no-such-session', 'There is no such session.');
    return found;
  }

  #describe(position: number): AllocationSession {
    const name = `s${position + 1}`;
    const { session, growth } = this.#get(name);
    return { session: name, ...factsOf(session), isSaved: session.isSaved, trace: growth.info };
  }
}

function endpointOf(listener: Listener): AllocationsEndpoint {
  const pythonFolder = findShipped({
    variable: 'STRATA_PYTHON',
    inResources: 'python',
    inRepository: join('app', 'python'),
  });
  return { address: listener.address, isUsual: true, pythonFolder };
}
