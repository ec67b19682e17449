import { join } from 'node:path';
import type { Args } from '../../app/contract/engine.ts';
import {
  GPU_METRICS,
  type GpuInfo,
  type LiveInfo,
  type LiveNow,
  type LiveResults,
  type RecordingStatus,
  type SampledColumns,
  type Scenario,
} from '../../app/contract/live.ts';
import { engineError } from './errors.ts';
import { fileStamp, recordingsFolder } from './recordings-folder.ts';
import { gpusOf, isContainer, type Sampler, startSampler } from './sampler.ts';

/** How long the page waits for drivers before it is told that they have not answered. */
const PATIENCE_MS = 2000;
const USUAL_HZ = 5;
/** Of a recording that the page starts, with its older part. */
const RECORDING_LIMIT = 1024 ** 3;
const NANOSECONDS_PER_MILLISECOND = 1_000_000n;

/** The one sampler of an engine; it starts when a page first asks for it, and rests when none does. */
export class Live {
  #sampler: Sampler | null = null;
  #scenario: Scenario | null = null;
  #hz = USUAL_HZ;
  #watch: Args<'liveWatch'> | null = null;

  async start({ scenario, again }: Args<'liveStart'>): Promise<LiveInfo> {
    if (this.#sampler === null || scenario !== this.#scenario || again) {
      const before = this.#sampler;
      this.#scenario = scenario;
      this.#sampler = startSampler({ scenario, hz: this.#hz });
      await before?.close();
    }
    const sampler = this.#running();
    sampler.look();
    const isComplete = await sampler.waitForGpus(PATIENCE_MS);
    if (isComplete && this.#watch !== null) watchGpus(sampler, this.#watch);
    return {
      isComplete,
      scenario: this.#scenario,
      gpus: sampler.gpus(),
      lookedFor: sampler.lookedFor(),
      isContainer: isContainer(),
    };
  }

  now({ afterEvent }: Args<'live'>): LiveNow {
    const sampler = this.#running();
    sampler.look();
    const status = sampler.status();
    const newest = sampler.samples(Math.max(status.firstSample, status.endSample - 1), 1);
    const oldest = sampler.samples(status.firstSample, 1);
    return {
      state: status.state,
      stuck: status.call === '' ? null : { call: status.call, for: status.stuckNs },
      originMs: Number(status.originNs / NANOSECONDS_PER_MILLISECOND),
      now: status.now,
      hz: status.hz,
      realHz: status.realHz,
      samples: status.endSample,
      isSimulated: status.isSimulated,
      gpus: gpusOf(newest, 0),
      time: newest.times[0] ?? null,
      oldest: oldest.times[0] ?? null,
      events: sampler.events(afterEvent),
      recording: status.recording,
    };
  }

  series({ gpu, from, to, columns }: Args<'liveSeries'>): LiveResults['liveSeries'] {
    const values = this.#running().window(gpu, Math.floor(from), Math.ceil(to), columns);
    if (values.length === 0) throw engineError('no-such-gpu', 'There is no such GPU, or no time to show.');
    const named = GPU_METRICS.map((metric, row) => [metric, columnsAt(values, row, columns)] as const);
    return Object.fromEntries(named) as unknown as LiveResults['liveSeries'];
  }

  rate({ hz }: Args<'liveRate'>): null {
    this.#hz = hz;
    this.#running().setRate(hz);
    return null;
  }

  watch(args: Args<'liveWatch'>): null {
    this.#watch = args;
    watchGpus(this.#running(), args);
    return null;
  }

  mark({ text }: Args<'liveMark'>): null {
    this.#running().mark(text);
    return null;
  }

  async record(): Promise<RecordingStatus> {
    const sampler = this.#running();
    await sampler.startRecording(newRecordingPath(sampler.status().isSimulated), RECORDING_LIMIT, false);
    return this.#recording();
  }

  async stopRecording(): Promise<RecordingStatus> {
    await this.#running().stopRecording();
    return this.#recording();
  }

  /** Gives a recording its end, and samples no more. */
  async finish(): Promise<void> {
    const sampler = this.#sampler;
    this.#sampler = null;
    if (sampler === null) return;
    await sampler.stopRecording();
    await sampler.close();
  }

  #recording(): RecordingStatus {
    const { recording } = this.#running().status();
    if (recording === null) throw engineError('not-recording', 'No recording is under way.');
    return recording;
  }

  #running(): Sampler {
    if (this.#sampler === null) throw engineError('live-not-started', 'Sampling has not been started.');
    return this.#sampler;
  }
}

function watchGpus(sampler: Sampler, { growthBytes, limits }: Args<'liveWatch'>): void {
  const limitsOf = ({ id }: GpuInfo) => limits.find((one) => one.id === id) ?? {};
  sampler.watch(growthBytes, sampler.gpus().map(limitsOf));
}

export function columnsAt(values: Float64Array, row: number, columns: number): SampledColumns {
  const part = (which: number) => values.slice((row * 3 + which) * columns, (row * 3 + which + 1) * columns);
  return { min: part(0), max: part(1), last: part(2) };
}

/** In a folder of its own in the user's home; the name says when it was made, in local time. */
function newRecordingPath(isSimulated: boolean): string {
  return join(recordingsFolder(), `${isSimulated ? 'simulated' : 'gpus'} ${fileStamp()}.strata`);
}
