import { randomBytes } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { EngineErrorData } from '../../../app/contract/error.ts';
import { engineError } from '../errors.ts';
import { HELLO_MS, type Reception, serveConnection } from './connection.ts';
import { type Endpoint, type EndpointChoice, endpointFor } from './endpoint.ts';
import type { Hello } from './hello.ts';
import { Session } from './session.ts';

/** More programs at once than any machine has GPUs. */
const MOST_CONNECTIONS = 256;

export interface ListenerOptions {
  readonly endpoint: EndpointChoice;
  /** Bytes of each recording. */
  readonly limitBytes: number;
  /** The path for the recording of a new session. */
  readonly pathFor: (hello: Hello) => string;
  readonly helloMs?: number;
  readonly onSession?: (session: Session) => void;
}

/** Listens for programs and keeps their sessions. */
export class Listener {
  readonly sessions: Session[] = [];
  refused: { readonly count: number; readonly last: EngineErrorData } | null = null;
  readonly #options: ListenerOptions;
  readonly #endpoint: Endpoint;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(options: ListenerOptions, endpoint: Endpoint) {
    this.#options = options;
    this.#endpoint = endpoint;
    this.#server = createServer((socket) => this.#receive(socket));
    this.#server.maxConnections = MOST_CONNECTIONS;
  }

  /** Errors: those of endpointFor, "cannot-listen". */
  static async start(options: ListenerOptions): Promise<Listener> {
    const listener = new Listener(options, await endpointFor(options.endpoint));
    await new Promise<void>((resolve, reject) => {
      listener.#server.once('error', (error) => reject(cannotListen(error)));
      listener.#server.listen(listener.#endpoint.listen, resolve);
    });
    listener.#endpoint.announce(listener.#port);
    return listener;
  }

  /** As a program names it. */
  get address(): string {
    return this.#endpoint.address(this.#port);
  }

  /** Ends every session and listens no more. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await Promise.all(
      this.sessions.map((session) =>
        session.end({ end: session.holder === null ? 'lost' : 'closed', problem: null }),
      ),
    );
    for (const socket of this.#sockets) socket.destroySoon();
    this.#endpoint.retract();
    await closed;
  }

  get #port(): number {
    const bound = this.#server.address() as AddressInfo | string | null;
    return bound !== null && typeof bound === 'object' ? bound.port : 0;
  }

  #receive(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {}); // told by the loop that reads
    socket.once('close', () => this.#sockets.delete(socket));
    void serveConnection(socket, this.#reception());
  }

  #reception(): Reception {
    return {
      token: this.#endpoint.token,
      helloMs: this.#options.helloMs ?? HELLO_MS,
      sessionFor: (hello) => this.#sessionFor(hello),
      turnedAway: (last) => {
        this.refused = { count: (this.refused?.count ?? 0) + 1, last };
      },
    };
  }

  async #sessionFor(hello: Hello): Promise<Session> {
    const known = this.sessions.find(
      (session) => session.ending === null && session.hello.session === hello.session,
    );
    if (known !== undefined && hello.session !== undefined) return known;
    const named = { ...hello, session: hello.session ?? randomBytes(16).toString('hex') };
    const session = await Session.begin(named, this.#options.pathFor(named), this.#options.limitBytes);
    this.sessions.push(session);
    this.#options.onSession?.(session);
    return session;
  }
}

function cannotListen(error: Error) {
  return engineError(
    'cannot-listen',
    `Strata cannot listen for programs: ${error.message}`,
    'Name another place: strata listen --socket PATH, or --tcp PORT.',
  );
}
