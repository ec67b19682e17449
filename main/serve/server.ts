import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Engine } from '../../app/contract/engine.ts';
import { decode, encode, WIRE_PROTOCOL } from '../../app/contract/wire.ts';
import { createDispatcher, createEngine, engineError, toEngineError } from '../engine/index.ts';
import { createToken, hasBearer, hasTokenProtocol, isFromHere } from './guard.ts';
import { SECURITY_HEADERS, sendPage, sendStatus } from './pages.ts';
import { Uploads } from './uploads.ts';

const HOST = '127.0.0.1';
/** Calls are a few hundred bytes. */
const LARGEST_CALL_BYTES = 1024 ** 2;

export interface RunningServer {
  /** With the token in its fragment, which no request carries. */
  readonly address: string;
  readonly token: string;
  /** The engine that all pages share. */
  readonly engine: Engine;
  close(): Promise<void>;
}

/**
 * Serves the pages of a folder and one engine on the loopback address.
 * `port` 0 takes any free one. Errors: "port-in-use", "port-not-allowed".
 */
export async function startServer(pages: string, port = 0): Promise<RunningServer> {
  const token = createToken();
  const uploads = new Uploads();
  const engine = createEngine({ takeUpload: (id) => uploads.take(id) });
  const server = createServer((request, response) => {
    void answer(request, response, { pages, token, uploads });
  });
  server.requestTimeout = 0; // a large upload through a slow tunnel takes as long as it takes
  const sockets = acceptSockets(server, token, engine);
  await listen(server, port);
  const { port: taken } = server.address() as AddressInfo;
  return {
    address: `http://${HOST}:${taken}/#token=${token}`,
    token,
    engine,
    close: async () => {
      await engine.finish(); // so that recordings have their end
      await close(server, sockets);
    },
  };
}

interface Site {
  readonly pages: string;
  readonly token: string;
  readonly uploads: Uploads;
}

async function answer(request: IncomingMessage, response: ServerResponse, site: Site): Promise<void> {
  if (!isFromHere(request)) return sendStatus(response, 401);
  const { method } = request;
  // Not a URL, which resolves what leads out of the folder, and refuses addresses such as "//".
  const [pathname = '/', query = ''] = (request.url ?? '/').split('?');
  if (method === 'GET' || method === 'HEAD') {
    return sendPage(site.pages, pathname, method === 'HEAD', response);
  }
  if (method !== 'POST') return sendStatus(response, 405);
  if (pathname !== '/upload') return sendStatus(response, 404);
  if (!hasBearer(request, site.token)) return sendStatus(response, 401);
  await receiveUpload(request, response, site.uploads, new URLSearchParams(query).get('name') ?? '');
}

async function receiveUpload(
  request: IncomingMessage,
  response: ServerResponse,
  uploads: Uploads,
  name: string,
): Promise<void> {
  try {
    sendJson(response, 200, { id: await uploads.receive(request, name) });
  } catch (error) {
    const known = toEngineError(error);
    response.setHeader('connection', 'close'); // the rest of the body is not read
    sendJson(response, known.code === 'upload-too-large' ? 413 : 500, known.toJSON());
  }
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { ...SECURITY_HEADERS, 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(value));
}

function acceptSockets(server: Server, token: string, engine: Engine): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: LARGEST_CALL_BYTES,
    perMessageDeflate: false,
    handleProtocols: () => WIRE_PROTOCOL, // never the token, which is among those offered
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const isAllowed = request.url === '/socket' && isFromHere(request) && hasTokenProtocol(request, token);
    if (!isAllowed) return refuse(socket);
    sockets.handleUpgrade(request, socket, head, (connection) => connect(connection, engine));
  });
  return sockets;
}

function refuse(socket: Duplex): void {
  socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
}

function connect(connection: WebSocket, engine: Engine): void {
  const dispatcher = createDispatcher(engine, (message) => connection.send(encode(message)));
  connection.on('message', (data: Buffer) => {
    try {
      dispatcher.receive(decode(data));
    } catch {
      connection.close(1003, 'not a message'); // our own page never gets here
    }
  });
  connection.on('close', () => dispatcher.close());
  connection.on('error', () => connection.terminate());
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, port)));
    server.listen(port, HOST, () => resolve());
  });
}

function cannotListen(error: NodeJS.ErrnoException, port: number) {
  if (error.code === 'EADDRINUSE') {
    return engineError(
      'port-in-use',
      `Port ${port} is in use by another program.`,
      'Name another one with --port, or leave it out: a free one is found.',
    );
  }
  if (error.code === 'EACCES') {
    return engineError(
      'port-not-allowed',
      `You may not use port ${port}.`,
      'Name one above 1023 with --port.',
    );
  }
  return error;
}

function close(server: Server, sockets: WebSocketServer): Promise<void> {
  for (const connection of sockets.clients) connection.close(1001, 'the server stops');
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
    for (const connection of sockets.clients) connection.terminate();
  });
}
