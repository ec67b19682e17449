import type { Args, MethodName, ProgressInfo, Results } from './engine.ts';
import type { EngineErrorData } from './error.ts';

/**
 * Messages between a page and an engine in another process, and their binary form for a WebSocket.
 * Electron's message ports carry the messages as they are; a WebSocket carries `encode(message)`.
 *
 *   | header length, uint32 LE | header: JSON in UTF-8 | padding to 8 | array | padding to 8 | array | …
 *
 * The header is `{ message, arrays }`: each typed array of the message is null there, and `arrays` says at which
 * path it belongs, its kind, where its bytes start in the tail, and how many elements it has. Byte order is little
 * endian, as on every machine that runs Electron.
 */

export type CallMessage = {
  [M in MethodName]: {
    readonly type: 'call';
    readonly id: number;
    readonly method: M;
    readonly args: Args<M>;
  };
}[MethodName];

/** From the page. */
export type ClientMessage = CallMessage | { readonly type: 'cancel'; readonly id: number };

/** From the engine; exactly one result or error answers each call. */
export type EngineMessage =
  | { readonly type: 'progress'; readonly id: number; readonly progress: ProgressInfo }
  | { readonly type: 'result'; readonly id: number; readonly result: Results[MethodName] }
  | { readonly type: 'error'; readonly id: number; readonly error: EngineErrorData };

/** The sub-protocol a page names beside `token.<token>` when it opens the WebSocket. */
export const WIRE_PROTOCOL = 'strata.v1';

const KINDS = {
  Uint8Array,
  Uint16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
} as const;
type Kind = keyof typeof KINDS;
type Bulk = InstanceType<(typeof KINDS)[Kind]>;

interface ArrayEntry {
  readonly path: readonly (string | number)[];
  readonly kind: Kind;
  readonly offset: number;
  readonly length: number;
}
interface Header {
  readonly message: unknown;
  readonly arrays: readonly ArrayEntry[];
}

const ALIGNMENT = 8;
const PREFIX_BYTES = 4;
const aligned = (bytes: number) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/** Why bytes from the other side cannot be a message. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

export function encode(message: ClientMessage | EngineMessage): Uint8Array<ArrayBuffer> {
  const arrays: ArrayEntry[] = [];
  const views: Bulk[] = [];
  let tailBytes = 0;
  const take = (view: Bulk, path: readonly (string | number)[]) => {
    arrays.push({ path, kind: kindOf(view), offset: tailBytes, length: view.length });
    views.push(view);
    tailBytes = aligned(tailBytes + view.byteLength);
  };
  const plain = withoutArrays(message, [], take);
  const header = new TextEncoder().encode(JSON.stringify({ message: plain, arrays } satisfies Header));
  const tailStart = aligned(PREFIX_BYTES + header.length);
  const bytes = new Uint8Array(tailStart + tailBytes);
  new DataView(bytes.buffer).setUint32(0, header.length, true);
  bytes.set(header, PREFIX_BYTES);
  arrays.forEach((entry, position) => {
    const view = views[position] as Bulk;
    bytes.set(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), tailStart + entry.offset);
  });
  return bytes;
}

/** The arrays of the result are views of one buffer. Errors: WireError. */
export function decode(bytes: Uint8Array): unknown {
  if (bytes.length < PREFIX_BYTES) throw new WireError('The message is shorter than its prefix.');
  const headerBytes = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (headerBytes > bytes.length - PREFIX_BYTES)
    throw new WireError('The header is longer than the message.');
  const header = parseHeader(bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + headerBytes));
  const tail = alignedTail(bytes, aligned(PREFIX_BYTES + headerBytes));
  for (const entry of header.arrays) place(header.message, entry.path, viewOf(entry, tail));
  return header.message;
}

function kindOf(view: Bulk): Kind {
  return view.constructor.name as Kind;
}

function isBulk(value: unknown): value is Bulk {
  return ArrayBuffer.isView(value) && Object.hasOwn(KINDS, value.constructor.name);
}

function withoutArrays(
  value: unknown,
  path: readonly (string | number)[],
  take: (view: Bulk, path: readonly (string | number)[]) => void,
): unknown {
  if (isBulk(value)) {
    take(value, path);
    return null;
  }
  if (Array.isArray(value)) {
    return value.map((one, position) => withoutArrays(one, [...path, position], take));
  }
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, one]) => [key, withoutArrays(one, [...path, key], take)]);
  return Object.fromEntries(entries);
}

function parseHeader(bytes: Uint8Array): Header {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new WireError('The header is not JSON.');
  }
  if (!isRecord(header) || !Array.isArray(header['arrays']) || !header['arrays'].every(isArrayEntry)) {
    throw new WireError('The header lacks its parts.');
  }
  return { message: header['message'], arrays: header['arrays'] };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isArrayEntry(value: unknown): value is ArrayEntry {
  if (!isRecord(value)) return false;
  const { path, kind, offset, length } = value;
  return (
    Array.isArray(path) &&
    path.length > 0 &&
    typeof kind === 'string' &&
    Object.hasOwn(KINDS, kind) &&
    Number.isSafeInteger(offset) &&
    Number.isSafeInteger(length) &&
    (offset as number) >= 0 &&
    (offset as number) % ALIGNMENT === 0 &&
    (length as number) >= 0
  );
}

/** The tail from an aligned start: copied only when the transport handed over bytes at an odd place. */
function alignedTail(bytes: Uint8Array, start: number): Uint8Array {
  const tail = bytes.subarray(Math.min(start, bytes.length));
  // Not slice(): that of Node's Buffer shows the same memory.
  return tail.byteOffset % ALIGNMENT === 0 ? tail : new Uint8Array(tail);
}

function viewOf(entry: ArrayEntry, tail: Uint8Array): Bulk {
  const View = KINDS[entry.kind];
  if (entry.offset + entry.length * View.BYTES_PER_ELEMENT > tail.byteLength) {
    throw new WireError('An array lies beyond the end of the message.');
  }
  return new View(tail.buffer as ArrayBuffer, tail.byteOffset + entry.offset, entry.length);
}

/** Puts an array where the header has null; nothing else may be replaced. */
function place(message: unknown, path: readonly (string | number)[], view: Bulk): void {
  let parent: unknown = message;
  for (const step of path.slice(0, -1)) parent = child(parent, step);
  const last = path.at(-1) as string | number;
  if (child(parent, last) !== null) throw new WireError('An array has no place in the message.');
  (parent as Record<string | number, unknown>)[last] = view;
}

function child(parent: unknown, step: string | number): unknown {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, step)) {
    throw new WireError('An array has no place in the message.');
  }
  return (parent as Record<string | number, unknown>)[step];
}
