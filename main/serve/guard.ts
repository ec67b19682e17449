import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { WIRE_PROTOCOL } from '../../app/contract/wire.ts';

/**
 * Who may talk to the server: a page that it sent itself, to a browser of the user who saw its address printed.
 * Other users of the machine lack the token; other sites in the user's browser fail by their origin, and by the
 * name they reached us under (DNS rebinding). The port is free, for a tunnel may change it.
 */
export function createToken(): string {
  return randomBytes(32).toString('base64url');
}

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;

/** Whether the request names this machine as its server, and, where it tells, comes from our own page. */
export function isFromHere(request: IncomingMessage): boolean {
  const { host, origin } = request.headers;
  if (host === undefined || !LOOPBACK.test(host)) return false;
  return origin === undefined || origin.toLowerCase() === `http://${host.toLowerCase()}`;
}

/** For an upload: `Authorization: Bearer …`. */
export function hasBearer(request: IncomingMessage, token: string): boolean {
  const [, given] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
  return given !== undefined && isSame(given, token);
}

/** For a WebSocket, which cannot send headers: sub-protocols `strata.v1, token.…`. */
export function hasTokenProtocol(request: IncomingMessage, token: string): boolean {
  const protocols = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
  const given = protocols.find((one) => one.startsWith('token.'))?.slice('token.'.length);
  return protocols.includes(WIRE_PROTOCOL) && given !== undefined && isSame(given, token);
}

/** Compares digests, so that neither content nor length shows in the time it takes. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
