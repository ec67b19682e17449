import { createHash, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import type { EngineError } from '../../../app/contract/error.ts';
import { engineError } from '../errors.ts';

/** The one version there is. */
export const PROTOCOL_VERSION = 1;

const name = v.pipe(v.string(), v.maxLength(200));

const hello = v.object({
  strata: v.literal('allocations'),
  version: v.pipe(v.number(), v.integer()),
  producer: v.optional(name, 'a program that does not say its name'),
  pid: v.optional(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0))), null),
  host: v.optional(name, ''),
  /** Of the program's own choosing, the same when it comes back after its connection broke. */
  session: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{8,64}$/))),
  devices: v.optional(v.pipe(v.array(name), v.maxLength(1024)), []),
  /** "estimated": the program knows what was asked for and rounds it itself. */
  sizes: v.optional(v.picklist(['exact', 'estimated']), 'exact'),
  token: v.optional(v.string(), ''),
});
export type Hello = v.InferOutput<typeof hello>;

/** Reads a program's first line. `token` is what it must know, or null. Errors: EngineError with what is wrong. */
export function readHello(line: Buffer, token: string | null): Hello {
  const said = parse(line);
  if (said === undefined || typeof said !== 'object' || said === null || !('strata' in said)) {
    throw engineError(
      'not-a-hello',
      'The first line is no hello of the allocations protocol.',
      'Begin with {"strata": "allocations", "version": 1, "producer": "name of your program"}.',
      { line: 1 },
    );
  }
  const version = (said as { readonly version?: unknown }).version;
  if (said.strata === 'allocations' && typeof version === 'number' && version !== PROTOCOL_VERSION) {
    throw engineError(
      'version-unknown',
      `The program speaks version ${version} of the protocol; this Strata speaks version ${PROTOCOL_VERSION}.`,
      version > PROTOCOL_VERSION ? 'Update Strata.' : 'Update the program, or its Python module.',
      { line: 1 },
    );
  }
  const parsed = v.safeParse(hello, said);
  if (!parsed.success) throw badHello(parsed.issues[0]);
  if (token !== null && !isSame(parsed.output.token, token)) {
    throw engineError(
      'token-wrong',
      'The hello does not have the token of this Strata.',
      'Name the whole address as Strata prints it: tcp:127.0.0.1:PORT:TOKEN.',
      { line: 1 },
    );
  }
  return parsed.output;
}

function badHello(issue: v.BaseIssue<unknown>): EngineError {
  const key = v.getDotPath(issue) ?? 'strata';
  return engineError('hello-unreadable', `"${key}" of the hello is not as it must be: ${issue.message}`, '', {
    line: 1,
  });
}

export function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Compares digests, so that neither content nor length shows in the time it takes. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
