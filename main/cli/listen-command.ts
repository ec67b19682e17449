import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineErrorData } from '../../app/contract/error.ts';
import { formatBytes, formatCount, plainSpaces } from '../../app/domain/format.ts';
import { visibleText } from '../../app/domain/visible-text.ts';
import { type AllocationListener, type AllocationProgram, listenForPrograms } from '../engine/index.ts';
import { ExitCode } from './exit-code.ts';
import type { Terminal } from './terminal.ts';

export interface ListenOptions {
  readonly out?: string;
  readonly json?: boolean;
  readonly socket?: string;
  readonly tcp?: number;
  /** Bytes of each recording. */
  readonly limit: number;
  readonly once?: boolean;
}

const PAUSE_MS = 100;
const PROGRESS_MS = 1000;

/**
 * `strata listen`: takes what programs stream and keeps it, until Ctrl-C, or with `once` until the first program has
 * ended. Errors: those of listenForPrograms.
 */
export async function listenCommand(
  options: ListenOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode> {
  const listener = await listenForPrograms({
    endpoint: options.socket !== undefined ? { socket: resolve(options.socket) } : portOf(options),
    limitBytes: options.limit,
    ...(options.out === undefined ? {} : { out: resolve(options.out) }),
  });
  const teller = new Teller(listener, options.json === true, terminal);
  try {
    await teller.begin();
    while (!signal.aborted && !(options.once === true && hasEnded(listener))) {
      await teller.look();
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => {});
    }
  } finally {
    await listener.close();
  }
  await teller.look();
  return listener.programs().some(isDamaged) ? ExitCode.Damaged : ExitCode.Done;
}

function portOf({ tcp }: ListenOptions) {
  return tcp === undefined ? null : { port: tcp };
}

function hasEnded(listener: AllocationListener): boolean {
  return listener.programs().some(({ end }) => end !== null);
}

/** Something that was sent, or should have been, is not in the recording. */
function isDamaged({ end, dropped, gaps, unreadable, cutBytes }: AllocationProgram): boolean {
  const isFault = end === 'limit' || end === 'disk' || end === 'refused' || end === 'lost';
  return isFault || dropped > 0 || gaps > 0 || unreadable !== null || cutBytes > 0;
}

/** Says what happens as it happens: a line of JSON each, or sentences. */
class Teller {
  readonly #listener: AllocationListener;
  readonly #isJson: boolean;
  readonly #terminal: Terminal;
  readonly #told: { end: boolean; events: number }[] = [];
  #refused = 0;
  #progressAt = 0;

  constructor(listener: AllocationListener, isJson: boolean, terminal: Terminal) {
    this.#listener = listener;
    this.#isJson = isJson;
    this.#terminal = terminal;
  }

  async begin(): Promise<void> {
    const { address } = this.#listener;
    await this.#tell({ event: 'listening', address }, `Listening at ${address}. Ctrl-C ends it.`);
  }

  async look(): Promise<void> {
    const programs = this.#listener.programs();
    const refused = this.#listener.refused();
    if (refused !== null && refused.count > this.#refused) {
      const isOne = refused.count === this.#refused + 1;
      const who = isOne ? 'A program was' : `${formatCount(refused.count - this.#refused)} programs were`;
      this.#refused = refused.count;
      await this.#tell(
        { event: 'refused', ...refused },
        `${who} turned away${isOne ? '' : '; the last'}: ${sentence(refused.last)}`,
      );
    }
    const isDue = Date.now() - this.#progressAt >= PROGRESS_MS;
    if (isDue) this.#progressAt = Date.now();
    for (const [position, program] of programs.entries()) await this.#lookAt(position, program, isDue);
  }

  async #lookAt(position: number, program: AllocationProgram, isDue: boolean): Promise<void> {
    const { producer, path, end, events } = program;
    let told = this.#told[position];
    if (told === undefined) {
      told = { end: false, events: 0 };
      this.#told[position] = told;
      await this.#tell({ event: 'connected', ...program }, `${producer} is connected; recording to ${path}`);
    }
    if (end !== null && !told.end) {
      told.end = true;
      await this.#tell({ event: 'ended', ...program }, ...endingOf(program));
    } else if (isDue && events > told.events && end === null) {
      await this.#progress(program);
    }
    told.events = events;
  }

  async #progress(program: AllocationProgram): Promise<void> {
    if (this.#isJson) return this.#tell({ event: 'progress', ...program });
    if (!this.#terminal.isWatched) return;
    const { producer, events, rate } = program;
    const rateText = formatCount(Math.round(rate));
    this.#say([`${producer}: ${counted(events, 'event')}, ${rateText} a second`]);
  }

  async #tell(json: object, ...lines: readonly string[]): Promise<void> {
    if (this.#isJson)
      await this.#terminal.write(`${JSON.stringify({ schema: 'strata.listen/1', ...json })}\n`);
    else this.#say(lines);
  }

  #say(lines: readonly string[]): void {
    const shown = lines.map((line) => visibleText(plainSpaces(line)));
    this.#terminal.writeError(`${shown.join('\n  ')}\n`);
  }
}

/** The sentences of an ending, a line each. */
function endingOf(program: AllocationProgram): readonly string[] {
  const { producer, end, events, held, bytes, path, gaps, unreadable, cutBytes, problem } = program;
  const before = held === 0 ? '' : `, ${counted(held, 'block')} from before`;
  const kept = `${counted(events, 'event')}${before}, ${formatBytes(bytes)}, in ${path}`;
  const parts = [
    `${producer}: ${ENDINGS[end ?? 'lost']}. ${kept}`,
    problem === null ? '' : sentence(problem),
    gaps === 0 ? '' : missingOf(program),
    cutBytes === 0 ? '' : `${formatBytes(cutBytes)} of a line that broke off are left out.`,
    unreadable === null ? '' : unreadableOf(unreadable),
  ];
  return parts.filter((part) => part !== '');
}

function missingOf({ dropped }: AllocationProgram): string {
  const count = dropped === 0 ? 'An unknown number of events' : counted(dropped, 'event');
  return `${count} ${dropped === 1 ? 'is' : 'are'} missing, as the program says.`;
}

function unreadableOf({ count, line }: NonNullable<AllocationProgram['unreadable']>): string {
  const place = `line ${formatCount(line)}`;
  if (count === 1) return `1 line is no event: ${place} of the recording.`;
  return `${formatCount(count)} lines are no events; the first is ${place} of the recording.`;
}

const counted = (count: number, thing: string) => `${formatCount(count)} ${thing}${count === 1 ? '' : 's'}`;

const ENDINGS = {
  'by-program': 'complete',
  stopped: 'stopped',
  closed: 'stopped',
  lost: 'gone without saying so',
  limit: 'stopped at the limit of the recording',
  disk: 'stopped by the disk',
  refused: 'stopped, because it broke the protocol',
} as const;

function sentence({ message, remedy }: EngineErrorData): string {
  return remedy === '' ? message : `${message} ${remedy}`;
}

/** For the help of the command. */
export const RECORDINGS_HELP = '~/Strata recordings';
