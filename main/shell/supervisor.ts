import { ENGINE_RESTARTED } from '../../app/contract/bridge.ts';
import { type Client, createClient } from '../../app/contract/client.ts';
import type { Engine } from '../../app/contract/engine.ts';
import { EngineError } from '../../app/contract/error.ts';
import type { EngineMessage } from '../../app/contract/wire.ts';

/** What the supervisor needs of Electron's UtilityProcess. */
export interface EngineProcess {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: EngineMessage) => void): unknown;
  on(event: 'exit', listener: (code: number) => void): unknown;
  kill(): boolean;
}

export interface SupervisorOptions {
  /** Starts a new engine process. */
  readonly fork: () => EngineProcess;
  /** A new process runs in place of one that ended with this exit code. */
  readonly onRestart: (code: number) => void;
  /** Runs `action` after a while; for tests. */
  readonly after?: (ms: number, action: () => void) => void;
  /** Milliseconds on any steady clock; for tests. */
  readonly now?: () => number;
}

/** Asks the process to end what it records, and then itself. */
export const FINISH = 'finish';

/** A disk that does not take the end of a recording keeps the application no longer than that. */
const FINISH_MS = 5000;

/** A process that lived this long did not fail at its start: the next restart is immediate again. */
const SETTLED_MS = 30_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;

/**
 * The engine in a process of its own, started, watched and restarted. When it stops, the calls under way end with
 * "engine-restarted"; the first restart is immediate, those of a process that keeps failing wait 0.25 s, 0.5 s, … 8 s,
 * and calls made meanwhile wait with them.
 */
export class EngineSupervisor {
  readonly engine: Engine;
  readonly #options: Required<SupervisorOptions>;
  #process: EngineProcess | null = null;
  #client: Promise<Client>;
  #failures = 0;
  #isStopped = false;

  constructor(options: SupervisorOptions) {
    this.#options = {
      after: (ms, action) => void setTimeout(action, ms),
      now: () => performance.now(),
      ...options,
    };
    this.#client = Promise.resolve(this.#start());
    this.engine = {
      call: async (method, args, callOptions) => (await this.#client).engine.call(method, args, callOptions),
    };
  }

  /** Ends the process for good, once recordings have their end or after some seconds: the application quits. */
  async finish(): Promise<void> {
    const child = this.#process;
    this.#isStopped = true;
    if (child === null) return;
    await new Promise<void>((resolve) => {
      child.on('exit', () => resolve());
      this.#options.after(FINISH_MS, resolve);
      child.postMessage(FINISH);
    });
    child.kill();
  }

  #start(): Client {
    const started = this.#options.now();
    const child = this.#options.fork();
    const client = createClient((message) => child.postMessage(message));
    child.on('message', (message) => client.receive(message));
    child.on('exit', (code) => {
      client.close(restarted());
      if (this.#process === child) this.#process = null;
      if (!this.#isStopped) this.#restart(code, this.#options.now() - started);
    });
    this.#process = child;
    return client;
  }

  #restart(code: number, livedMs: number): void {
    if (livedMs >= SETTLED_MS) this.#failures = 0;
    const pause = this.#failures === 0 ? 0 : FIRST_PAUSE_MS * 2 ** (this.#failures - 1);
    this.#failures += 1;
    this.#client = new Promise((resolve) => {
      this.#options.after(Math.min(pause, LONGEST_PAUSE_MS), () => {
        if (this.#isStopped) return;
        resolve(this.#start());
        this.#options.onRestart(code);
      });
    });
  }
}

const restarted = () =>
  new EngineError({
    code: ENGINE_RESTARTED,
    message: 'The engine stopped and was restarted; its open traces are gone.',
    remedy: 'Open the capture again.',
    position: null,
  });
