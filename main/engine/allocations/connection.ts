import type { Socket } from 'node:net';
import type { EngineErrorData } from '../../../app/contract/error.ts';
import { engineError, toEngineError } from '../errors.ts';
import { type Hello, PROTOCOL_VERSION, parse, readHello } from './hello.ts';
import { LineCutter, LONGEST_LINE } from './lines.ts';
import type { Ending, Session } from './session.ts';

/** A program that says nothing for so long after it connected is turned away. */
export const HELLO_MS = 10_000;
/** For a program that does not close its side after it was told to. */
const GOODBYE_MS = 1000;

/** What a connection asks of the listener. */
export interface Reception {
  /** What a hello must know, or null. */
  readonly token: string | null;
  /** The session of a hello: the one it goes on with, or a new one. Errors: "recording-failed". */
  sessionFor(hello: Hello): Promise<Session>;
  turnedAway(reason: EngineErrorData): void;
  readonly helloMs: number;
}

/**
 * One connection from its first byte to its last. Reading waits for the recording to take what came, so a program that
 * is too fast waits too: nothing is dropped here.
 */
export async function serveConnection(socket: Socket, reception: Reception): Promise<void> {
  const cutter = new LineCutter();
  let session: Session | null = null;
  let isOver = false;
  const holder = {
    close: (ending: Ending) => {
      isOver = true;
      const problem = ending.problem ?? null;
      if (ending.end === 'by-program') send(socket, { strata: 'ended', received: session?.received ?? 0 });
      else send(socket, { strata: 'stopped', reason: ending.end, message: problem?.message ?? '' });
      sayGoodbye(socket);
    },
  };
  const silence = setTimeout(
    () => refuse(socket, reception, noHello(), () => (isOver = true)),
    reception.helloMs,
  );
  try {
    // The socket outlives the loop: a last answer is on its way.
    for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (isOver) break;
      cutter.add(chunk);
      if (session === null) {
        const line = cutter.next();
        if (line !== null) {
          session = await reception.sessionFor(readHello(line, reception.token));
          clearTimeout(silence);
          hold(session, holder);
          send(socket, acceptance(session));
        }
      }
      if (session !== null) await takeLines(cutter, session, socket);
      if (cutter.isTooLong) throw tooLong(cutter);
    }
    if (!isOver && session === null && cutter.waiting + cutter.bytes > 0) throw noHello();
  } catch (error) {
    // A connection that breaks off is an error of the socket, and of nothing else.
    if (!isOver && !(error instanceof Error && 'syscall' in error)) {
      const reason = toEngineError(error);
      if (session === null) refuse(socket, reception, reason, () => (isOver = true));
      else await session.end({ end: 'refused', problem: reason.toJSON() });
    }
  } finally {
    clearTimeout(silence);
    if (session?.holder === holder) {
      session.holder = null;
      session.cutBytes += cutter.waiting;
    }
    sayGoodbye(socket);
  }
}

/** A program that comes back while its old connection still seems open gets the new one. */
function hold(session: Session, holder: NonNullable<Session['holder']>): void {
  session.holder?.close({ end: 'lost', problem: null });
  session.holder = holder;
}

async function takeLines(cutter: LineCutter, session: Session, socket: Socket): Promise<void> {
  for (;;) {
    const before = cutter.lines;
    const events = cutter.events();
    if (events.length > 0) {
      const wasReadable = session.growth.unreadable === 0;
      if ((await session.take(events, cutter.lines - before)) !== null) return;
      if (wasReadable && session.growth.unreadable > 0) send(socket, unreadable(session));
      continue;
    }
    const line = cutter.next();
    if (line === null) return;
    const said = (parse(line) as { readonly strata?: unknown } | undefined)?.strata;
    if (said === 'end') await session.end({ end: 'by-program', problem: null });
    else if (said !== 'heartbeat') throw unknownLine(cutter);
  }
}

function acceptance(session: Session) {
  return { strata: 'accepted', version: PROTOCOL_VERSION, received: session.received };
}

function unreadable({ growth }: Session) {
  return {
    strata: 'unreadable',
    line: growth.unreadableLine,
    byte: growth.unreadableByte,
    message: `Line ${growth.unreadableLine} of the recording is no event; it is kept and left out of the trace.`,
  };
}

function refuse(socket: Socket, reception: Reception, error: unknown, over: () => void): void {
  over();
  const reason = toEngineError(error).toJSON();
  reception.turnedAway(reason);
  const { code, message, remedy } = reason;
  send(socket, { strata: 'refused', code, message: remedy === '' ? message : `${message} ${remedy}` });
  sayGoodbye(socket);
}

/** Best effort: a program that does not read its answers is not waited for. */
function send(socket: Socket, message: object): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

/**
 * Closes once the answers are out. What still arrives is read and forgotten meanwhile: a socket that is closed over
 * unread bytes takes the answers with it.
 */
function sayGoodbye(socket: Socket): void {
  if (socket.destroyed || socket.writableEnded) return;
  const patience = setTimeout(() => socket.destroy(), GOODBYE_MS);
  socket.once('close', () => clearTimeout(patience));
  socket.end();
  socket.resume();
}

const noHello = () =>
  engineError(
    'no-hello',
    'The program connected and did not say hello.',
    'Its first line must be {"strata": "allocations", "version": 1, …}.',
    { line: 1 },
  );

function tooLong(cutter: LineCutter) {
  const line = cutter.lines + 1;
  return engineError(
    'line-too-long',
    `Line ${line} of the connection (byte ${cutter.bytes}) is longer than ${LONGEST_LINE} bytes.`,
    'Shorten the stacks, and end every line with a line feed.',
    { line },
  );
}

function unknownLine(cutter: LineCutter) {
  const line = cutter.lines;
  return engineError(
    'control-unknown',
    `Line ${line} of the connection begins with "strata" but is none of the lines that version ${PROTOCOL_VERSION} has.`,
    'After the hello there are {"strata": "heartbeat"} and {"strata": "end"}.',
    { line },
  );
}
