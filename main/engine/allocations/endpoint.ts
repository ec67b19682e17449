import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type ListenOptions } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { engineError } from '../errors.ts';

/** Where to listen, and how a program says it. */
export interface Endpoint {
  readonly listen: ListenOptions;
  readonly token: string | null;
  /** For the port that was taken; a socket has none. */
  address(port: number): string;
  /** To be called once it listens, and once it does no more. */
  announce(port: number): void;
  retract(): void;
}

/** Null: the usual place. */
export type EndpointChoice = { readonly socket: string } | { readonly port: number } | null;

const LOOPBACK = '127.0.0.1';
/** What the systems allow for the path of a socket, with its end. */
const LONGEST_SOCKET = 103;

/**
 * A Unix socket in a folder that only this user can enter; on Windows, whose sockets Python cannot open and whose
 * pipes Node cannot close to others, a port of the loopback address with a token in a file of the user's.
 * Errors: "already-listening", "socket-folder", "socket-too-long".
 */
export async function endpointFor(choice: EndpointChoice): Promise<Endpoint> {
  if (choice !== null && 'port' in choice) return tcpEndpoint(choice.port, null);
  if (choice === null && process.platform === 'win32') return tcpEndpoint(0, announcementFile());
  const socket = choice?.socket ?? join(privateFolder(), 'allocations.sock');
  if (Buffer.byteLength(socket) > LONGEST_SOCKET) {
    throw engineError(
      'socket-too-long',
      `The path ${socket} is too long for a socket.`,
      'Name a shorter one.',
    );
  }
  await removeStale(socket);
  return {
    listen: { path: socket },
    token: null,
    address: () => `unix:${socket}`,
    announce: () => chmodSync(socket, 0o600),
    retract: () => rmSync(socket, { force: true }),
  };
}

function tcpEndpoint(port: number, file: string | null): Endpoint {
  const token = randomBytes(32).toString('base64url');
  const address = (taken: number) => `tcp:${LOOPBACK}:${taken}:${token}`;
  return {
    listen: { host: LOOPBACK, port },
    token,
    address,
    announce: (taken) => {
      if (file === null) return;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${address(taken)}\n`, { mode: 0o600 });
    },
    retract: () => {
      if (file !== null) rmSync(file, { force: true });
    },
  };
}

/** On Windows, where programs find the port and the token; the folder is the user's alone. */
function announcementFile(): string {
  return join(process.env['LOCALAPPDATA'] ?? tmpdir(), 'Strata', 'allocations.txt');
}

/** A folder for sockets that nobody else can enter. Errors: "socket-folder". */
function privateFolder(): string {
  const { uid } = userInfo();
  const named = process.env['STRATA_RUNTIME_DIR'];
  const runtime = process.env['XDG_RUNTIME_DIR'];
  const folder = named ?? (runtime ? join(runtime, 'strata') : join(tmpdir(), `strata-${uid}`));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== uid) {
    throw engineError(
      'socket-folder',
      `${folder} is not a folder of yours, so no socket can be put there safely.`,
      'Name another folder in STRATA_RUNTIME_DIR, for Strata and for the program.',
    );
  }
  chmodSync(folder, 0o700);
  return folder;
}

/** A socket that a Strata left behind when it died has nobody behind it. Errors: "already-listening". */
async function removeStale(socket: string): Promise<void> {
  const found = lstatSync(socket, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) {
    throw engineError('socket-folder', `${socket} is there and is no socket.`, 'Name another path.');
  }
  if (await isAnswered(socket)) {
    throw engineError(
      'already-listening',
      `Another Strata of yours listens at ${socket}.`,
      'Use that one, close it, or name another place: strata listen --socket PATH.',
    );
  }
  rmSync(socket, { force: true });
}

function isAnswered(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const trial = connect(socket);
    trial.once('connect', () => {
      trial.destroy();
      resolve(true);
    });
    trial.once('error', () => resolve(false));
  });
}
