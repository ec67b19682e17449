import { type Client, createClient } from '../../../app/contract/client.ts';
import type { Args, CallOptions, Engine, MethodName, Results } from '../../../app/contract/engine.ts';
import { EngineError } from '../../../app/contract/error.ts';
import { decode, type EngineMessage, encode, WIRE_PROTOCOL } from '../../../app/contract/wire.ts';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5000;

/** An engine at the other end of a WebSocket that is opened again whenever it closes. */
export interface SocketEngine extends Engine {
  /** Tries now instead of when the pause is over. */
  reconnect(): void;
  /** Ends the connection for good. */
  close(): void;
  /** Called with each change; the first connection too. */
  onConnection: (isConnected: boolean) => void;
}

/** A connection of binary messages. */
export interface Socket {
  send(bytes: Uint8Array<ArrayBuffer>): void;
  close(): void;
}

export interface SocketEvents {
  readonly opened: () => void;
  readonly received: (bytes: ArrayBuffer) => void;
  readonly closed: () => void;
}

export type OpenSocket = (url: string, protocols: readonly string[], events: SocketEvents) => Socket;

export const openWebSocket: OpenSocket = (url, protocols, events) => {
  const socket = new WebSocket(url, [...protocols]);
  socket.binaryType = 'arraybuffer';
  socket.onopen = events.opened;
  socket.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => events.received(data);
  socket.onclose = events.closed;
  return socket;
};

function connectionLost(): EngineError {
  return new EngineError({
    code: 'connection-lost',
    message: 'The connection to the server was lost.',
    remedy: 'It is being opened again. If the server was stopped, start it and open the address it prints.',
    position: null,
  });
}

/** Calls wait while there is no connection; those that were under way when it closed are rejected. */
export function createSocketEngine(
  url: string,
  token: string,
  openSocket: OpenSocket = openWebSocket,
): SocketEngine {
  let client: Client | null = null;
  let waiting: ((client: Client) => void)[] = [];
  let pause = FIRST_PAUSE_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOpening = false;
  let isClosed = false;
  let current: Socket | null = null;

  const open = () => {
    if (isOpening || client !== null) return;
    isOpening = true;
    clearTimeout(timer);
    const opened = createClient((message) => socket.send(encode(message)));
    const socket = openSocket(url, [WIRE_PROTOCOL, `token.${token}`], {
      opened: () => {
        isOpening = false;
        client = opened;
        pause = FIRST_PAUSE_MS;
        engine.onConnection(true);
        const callers = waiting;
        waiting = [];
        for (const caller of callers) caller(opened);
      },
      received: (bytes) => opened.receive(decode(new Uint8Array(bytes)) as EngineMessage),
      closed: () => {
        if (isClosed) return;
        isOpening = false;
        client = null;
        opened.close(connectionLost());
        engine.onConnection(false);
        timer = setTimeout(open, pause);
        pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
      },
    });
    current = socket;
  };

  const connected = () =>
    client !== null ? Promise.resolve(client) : new Promise<Client>((resolve) => waiting.push(resolve));

  const engine: SocketEngine = {
    onConnection: () => {},
    reconnect: open,
    close() {
      clearTimeout(timer);
      isClosed = true;
      current?.close();
    },
    call: async <M extends MethodName>(
      method: M,
      args: Args<M>,
      options?: CallOptions,
    ): Promise<Results[M]> => (await connected()).engine.call(method, args, options),
  };
  open();
  return engine;
}
