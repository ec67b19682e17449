import type { SessionEnd } from '../../../app/contract/allocations.ts';
import type { EngineErrorData } from '../../../app/contract/error.ts';
import { formatBytes, plainSpaces } from '../../../app/domain/format.ts';
import { loadAddon } from '../addon.ts';
import { toEngineError } from '../errors.ts';
import type { NativeGrowingTrace, NativeGrowth } from '../native-growing.ts';
import type { Hello } from './hello.ts';
import { RateMeter } from './rate-meter.ts';
import { comment, headOf, Spool } from './spool.ts';

/** Why a connection is to be closed from this side. */
export interface Ending {
  readonly end: SessionEnd;
  readonly problem: EngineErrorData | null;
}

/** What holds a program's connection; a session has at most one. */
export interface Holder {
  /** Says why, and closes. */
  close(ending: Ending): void;
}

const NOTHING: NativeGrowth = {
  lines: 0,
  bytes: 0,
  events: 0,
  held: 0,
  dropped: 0,
  gaps: 0,
  unreadable: 0,
  unreadableLine: 0,
  unreadableByte: 0,
};

/**
 * What one program sends, whatever the number of connections it takes: a recording on the disk and the rows read so
 * far, in step with each other. Lines are taken one batch after the other; a line counts once it is in the recording.
 */
export class Session {
  readonly hello: Hello;
  readonly started = new Date();
  readonly limitBytes: number;
  readonly growing: NativeGrowingTrace;
  /** Lines of the program that are in the recording. */
  received = 0;
  growth = NOTHING;
  holder: Holder | null = null;
  ending: Ending | null = null;
  path: string;
  isSaved = false;
  /** Bytes of lines that never got their end because a connection broke off; they are left out. */
  cutBytes = 0;
  readonly #spool: Spool;
  readonly #rate = new RateMeter();
  #work: Promise<void> = Promise.resolve();

  private constructor(hello: Hello, spool: Spool, limitBytes: number) {
    this.hello = hello;
    this.path = spool.path;
    this.limitBytes = limitBytes;
    this.#spool = spool;
    this.growing = new (loadAddon().GrowingTrace)();
  }

  /** Errors: "recording-failed". */
  static async begin(hello: Hello, path: string, limitBytes: number): Promise<Session> {
    const session = new Session(hello, await Spool.create(path), limitBytes);
    await session.#append(headOf(hello, session.started));
    return session;
  }

  get rate(): number {
    return this.#rate.perSecond(Date.now());
  }

  /** Takes whole lines. Answers with the ending that they brought about, or null. */
  take(lines: Buffer, count: number): Promise<Ending | null> {
    return this.#inTurn(async () => {
      if (this.ending !== null) return this.ending;
      if (this.growth.bytes + lines.length > this.limitBytes) return this.#finish(limitOf(this));
      try {
        await this.#append(lines);
      } catch (error) {
        return this.#finish({ end: 'disk', problem: toEngineError(error).toJSON() });
      }
      this.received += count;
      return null;
    });
  }

  /** Ends it, if it has not ended; the first ending stays. */
  end(ending: Ending): Promise<Ending> {
    return this.#inTurn(async () => this.ending ?? (await this.#finish(ending)));
  }

  async #finish(ending: Ending): Promise<Ending> {
    this.ending = ending;
    const why = ending.problem === null ? ending.end : `${ending.end}: ${ending.problem.message}`;
    // A disk that is full has no room for the last word either.
    await this.#append(Buffer.from(comment('ended', why))).catch(() => {});
    await this.#spool.close();
    this.holder?.close(ending);
    this.holder = null;
    return ending;
  }

  async #append(lines: Buffer): Promise<void> {
    await this.#spool.write(lines);
    this.growth = this.growing.append(lines);
    this.#rate.add(Date.now(), this.growth.events);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work);
    this.#work = done.then(
      () => {},
      () => {},
    );
    return done;
  }
}

function limitOf({ path, limitBytes }: Session): Ending {
  const message = `The recording ${path} has reached its limit of ${plainSpaces(formatBytes(limitBytes))}.`;
  const remedy =
    'What arrived before is complete. Start it again with a higher limit: strata listen --limit MiB.';
  return { end: 'limit', problem: { code: 'recording-limit', message, remedy, position: null } };
}
