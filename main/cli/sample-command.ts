import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LookedFor, RecordingStatus, Scenario } from '../../app/contract/live.ts';
import { formatBytes, formatCount, plainSpaces } from '../../app/domain/format.ts';
import { visibleText } from '../../app/domain/visible-text.ts';
import { version } from '../../package.json';
import {
  checkRecordingPlace,
  engineError,
  gpusOf,
  isContainer,
  isOtherFile,
  type Sampler,
  startSampler,
} from '../engine/index.ts';
import { ExitCode } from './exit-code.ts';
import { csvHead, csvRows, jsonLine, type SampledMoment, textLines } from './sample-text.ts';
import type { Terminal } from './terminal.ts';

export interface SampleOptions {
  readonly hz: number;
  readonly seconds?: number;
  readonly out?: string;
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly simulated?: Scenario;
  readonly pcie?: boolean;
  /** Bytes of the file and its older part together. */
  readonly limit: number;
  /** Bytes that a process must grow by to be told of. */
  readonly growth: number;
  /** Replaces a recording that is there. */
  readonly force?: boolean;
  /** Goes on with one. */
  readonly append?: boolean;
}

/** Drivers that take longer are said to be stuck. */
const PATIENCE_MS = 10_000;
/** Between two looks at the sampler, which fills its ring meanwhile. */
const PAUSE_MS = 100;
/** While nothing is printed. */
const LONG_PAUSE_MS = 500;
const MOST_AT_ONCE = 1000;

/**
 * `strata sample`: prints what the GPUs of this machine do, or records it, until the time is over or Ctrl-C ends it.
 * Errors: "no-gpus", "driver-stuck", "no-samples", "recording-exists", "not-a-recording", "recording-of-others",
 * "limit-too-small", "recording-failed".
 */
export async function sampleCommand(
  options: SampleOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { hz, pcie, simulated } = options;
  if (options.out !== undefined) checkPlace(options.out, options);
  const sampler = startSampler({ scenario: simulated ?? null, hz, withPcie: pcie === true, version });
  try {
    await findGpus(sampler, terminal);
    sampler.watch(options.growth, []);
    if (options.out !== undefined) await startRecording(sampler, options.out, options);
    if (simulated !== undefined) terminal.writeError('These GPUs are simulated: nothing is sampled.\n');
    await printSamples(sampler, options, terminal, signal);
    if (options.out !== undefined) await sampler.stopRecording();
    if (sampler.status().endSample === 0 && !signal.aborted) throw noSamples(sampler);
    if (options.out === undefined) return ExitCode.Done;
    return told(sampler.status().recording, sampler.gpus().length, terminal);
  } finally {
    await sampler.close();
  }
}

/** What is there is never overwritten by accident, and nothing but a recording is ever gone on with. */
function checkPlace(path: string, { force, append }: SampleOptions): void {
  checkRecordingPlace(resolve(path), 'gpus.strata');
  const older = `${path}.1`;
  const there = [path, older].filter((one) => existsSync(one));
  if (there.length > 0 && force !== true && append !== true) {
    throw engineError(
      'recording-exists',
      `${there.join(' and ')} ${there.length === 1 ? 'is' : 'are'} there already.`,
      'Give --append to go on with the recording, --force to replace it, or another name.',
    );
  }
  // A recording that is turned over replaces its older part, so that must be one too.
  const other = there.filter((one) => one === older || append === true).find(isOtherFile);
  if (other !== undefined) throw notARecording(other, path);
}

function notARecording(other: string, path: string) {
  return engineError(
    'not-a-recording',
    `${other} is no recording of GPUs; it was left as it is.`,
    other === path
      ? 'Give --append the name of a recording, or leave it out and name a file that is not there yet.'
      : `Move it away, because the older part of the recording is kept there, or give another name than ${path}.`,
  );
}

async function startRecording(sampler: Sampler, path: string, options: SampleOptions): Promise<void> {
  if (options.force === true) rmSync(`${path}.1`, { force: true });
  await sampler.startRecording(path, options.limit, options.append === true);
}

async function findGpus(sampler: Sampler, terminal: Terminal): Promise<void> {
  const hasAnswered = await sampler.waitForGpus(PATIENCE_MS);
  if (sampler.gpus().length > 0) return;
  if (!hasAnswered) {
    const { call } = sampler.status();
    throw engineError(
      'driver-stuck',
      `The driver does not answer: ${call === '' ? 'a call' : call} has not returned for ten seconds.`,
      'Look at the log of the kernel (dmesg); a restart of the machine usually mends that.',
    );
  }
  const lines = sampler.lookedFor().map(describe);
  if (isContainer())
    lines.push('This runs in a container: GPUs must be passed in (docker run --gpus all …).');
  for (const line of lines) terminal.writeError(`${visibleText(line)}\n`);
  throw engineError(
    'no-gpus',
    'No GPU was found on this machine.',
    'Try "strata sample --simulated" to see what it would show.',
  );
}

/** A driver that hangs must not look like one that has nothing to say. */
function noSamples(sampler: Sampler) {
  const { call } = sampler.status();
  return engineError(
    'no-samples',
    `The time was over before a single sample came${call === '' ? '' : `: ${call} has not returned`}.`,
    'Sample for longer (--seconds). If it stays so, look at the log of the kernel (dmesg).',
  );
}

function describe({ kind, code, what, where, detail }: LookedFor): string {
  const said = detail === '' ? '' : ` (${detail})`;
  if (kind === 'amd')
    return `AMD: no card with ${what} under ${where.join(', ')}; the driver amdgpu offers it.`;
  if (kind === 'drm')
    return `Intel and others: no card of a driver that counts memory under ${where.join(', ')}.`;
  switch (code) {
    case 'library-not-found':
      return `NVIDIA: ${what} was not found; looked in ${where.join(', ')}. It comes with the NVIDIA driver.`;
    case 'no-gpus':
      return 'NVIDIA: the driver is there, but it has no GPU.';
    default:
      return `NVIDIA: ${what} could not be used: ${code}${said}. nvidia-smi should list the GPU.`;
  }
}

async function printSamples(
  sampler: Sampler,
  options: SampleOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const gpus = sampler.gpus();
  const originMs = Number(sampler.status().originNs / 1_000_000n);
  const start = sampler.status().now;
  const end = options.seconds === undefined ? Number.POSITIVE_INFINITY : start + options.seconds * 1e9;
  let next = sampler.status().endSample;
  let shown = Number.NEGATIVE_INFINITY;
  let isStuck = false;
  let problem = '';
  const isPrinting = options.json === true || options.csv === true || options.out === undefined;
  if (options.csv === true) await terminal.write(csvHead());
  while (!signal.aborted && sampler.status().now < end) {
    sampler.look();
    const status = sampler.status();
    next = Math.max(next, status.firstSample);
    const samples = sampler.samples(next, isPrinting ? MOST_AT_ONCE : 0);
    for (const [row, time] of samples.times.entries()) {
      const moment: SampledMoment = {
        time,
        wallMs: originMs + time / 1e6,
        isGapBefore: samples.gaps[row] === 1,
        gpus: gpusOf(samples, row),
      };
      if (options.json === true) await terminal.write(jsonLine(moment, gpus));
      else if (options.csv === true) await terminal.write(csvRows(moment, gpus));
      else if (time - shown >= 1e9) {
        shown = time;
        await terminal.write(textLines(moment, gpus));
      }
    }
    next += samples.times.length;
    if ((status.state === 'stuck') !== isStuck) {
      isStuck = !isStuck;
      terminal.writeError(
        isStuck ? `The driver does not answer: ${status.call}.\n` : 'The driver answers again.\n',
      );
    }
    if (status.recording !== null && status.recording.problem !== problem) {
      problem = status.recording.problem;
      terminal.writeError(visibleText(troubleOf(status.recording)).concat('\n'));
    }
    const pause = Math.min(isPrinting ? PAUSE_MS : LONG_PAUSE_MS, Math.max(0, end - status.now) / 1e6);
    if (samples.times.length < MOST_AT_ONCE) await sleep(pause, undefined, { signal }).catch(() => {});
  }
}

/** Said once when a disk takes nothing, and once when it does again. */
function troubleOf({ problem, lost }: RecordingStatus): string {
  if (problem === '') return `It is recorded again; ${counted(lost, 'sample')} lost so far.`;
  return `${problem} It is tried again each second; samples wait in memory, and the oldest are given up when it is full.`;
}

const counted = (count: number, thing: string) => `${formatCount(count)} ${thing}${count === 1 ? '' : 's'}`;

/** The last word on a recording: what was written, what of it is still there, and what is missing. */
function told(recording: RecordingStatus | null, gpus: number, terminal: Terminal): ExitCode {
  if (recording === null) return ExitCode.Refused;
  const { samples, bytes, path, lost, problem } = recording;
  const size = (count: number) => plainSpaces(formatBytes(count));
  const say = (text: string) => terminal.writeError(`${visibleText(text)}\n`);
  say(`Recorded ${counted(samples, 'sample')} of ${counted(gpus, 'GPU')}, ${size(bytes)}, in ${path}`);
  if (recording.parts > 1) {
    const { keptSamples, keptBytes } = recording;
    say(
      `The limit keeps the newest: ${counted(keptSamples, 'sample')}, ${size(keptBytes)}, ` +
        `are in ${path} and its older part ${path}.1.`,
    );
  }
  if (lost === 0) return ExitCode.Done;
  const reason = problem === '' ? 'the disk was full or too slow for a while.' : problem;
  say(`${counted(lost, 'sample')} could not be written: ${reason}`);
  return ExitCode.Damaged;
}
