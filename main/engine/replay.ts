import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { loadAddon } from './addon.ts';
import { cancelled, engineError } from './errors.ts';
import type { NativeReplay } from './native.ts';
import { gunzip } from './unpack/gzip.ts';
import { createGuard } from './unpack/limits.ts';
import { temporaryFile } from './unpack/temporary.ts';

export interface ReplayJob {
  /** A golden text trace, plain or gzip. */
  readonly trace: string;
  /** A file whose first line is a configuration: a golden file, or only its first line; plain or gzip. */
  readonly configuration: string;
  readonly out: string;
  readonly signal: AbortSignal;
}

/** Line 1 of a golden file is short; a longer one is something else. */
const LONGEST_LINE = 1024 * 1024;

/**
 * Replays a trace through a simulated allocator and writes the golden output. Line 1 of it names the trace that was
 * replayed: where the configuration was made for another one, that is changed and a warning says so.
 * Errors: "replay-…", "gzip-damaged", "cancelled".
 */
export async function replayTrace(job: ReplayJob): Promise<NativeReplay> {
  const temporary = [temporaryFile(), temporaryFile(), temporaryFile()] as const;
  try {
    const trace = await plainFile(job.trace, temporary[0].path, job.signal);
    const line = await firstLine(await plainFile(job.configuration, temporary[1].path, job.signal));
    const stamped = nameTrace(line, basename(job.trace), await digestOf(trace));
    await writeFile(temporary[2].path, stamped.line);
    const result = await replayFiles(trace, temporary[2].path, job.out, job.signal);
    return { ...result, warnings: [...stamped.warnings, ...result.warnings] };
  } finally {
    for (const file of temporary) file.remove();
  }
}

async function replayFiles(trace: string, configuration: string, out: string, signal: AbortSignal) {
  if (signal.aborted) throw cancelled();
  const replaying = loadAddon().replay(trace, configuration, out);
  signal.addEventListener('abort', replaying.cancel, { once: true });
  try {
    return await replaying.promise;
  } finally {
    signal.removeEventListener('abort', replaying.cancel);
  }
}

/** The path itself, or that of an unpacked copy. */
async function plainFile(path: string, target: string, signal: AbortSignal): Promise<string> {
  const { head, bytes } = await headOf(path);
  if (head[0] !== 0x1f || head[1] !== 0x8b) return path;
  const guard = createGuard(bytes, target);
  const { warnings } = await gunzip(path, target, { signal, guard, onProgress: () => {} });
  const [damage] = warnings;
  if (damage !== undefined) throw engineError('gzip-damaged', damage.message, 'Copy the file again.');
  return target;
}

async function headOf(path: string): Promise<{ head: Uint8Array; bytes: number }> {
  try {
    const file = await open(path);
    try {
      const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
      return { head: buffer, bytes: (await file.stat()).size };
    } finally {
      await file.close();
    }
  } catch (error) {
    throw engineError(
      'replay-cannot-read',
      `The file ${path} cannot be read: ${(error as Error).message}`,
      'Check that it exists and that you may read it.',
    );
  }
}

async function firstLine(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST_LINE), 0, LONGEST_LINE, 0);
    const [line = ''] = buffer.toString('utf8', 0, bytesRead).split('\n', 1);
    return line;
  } finally {
    await file.close();
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** As text, not as JSON: sizes above 2^53 must stay as they are written. */
function nameTrace(line: string, name: string, digest: string) {
  const stated = /"trace_sha256"\s*:\s*"([^"]*)"/.exec(line)?.[1];
  if (stated === undefined || stated === digest) return { line, warnings: [] };
  const renamed = line
    .replace(/("trace_sha256"\s*:\s*)"[^"]*"/, `$1"${digest}"`)
    .replace(/("trace"\s*:\s*)"[^"]*"/, (_, key: string) => key + JSON.stringify(name));
  const message = `The configuration was made for another trace; line 1 of the output names ${name} instead.`;
  return { line: renamed, warnings: [{ code: 'replay-other-trace', message, isDamage: false }] };
}
