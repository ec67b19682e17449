import type { RegionName } from '../../../app/contract/engine.ts';

/**
 * A small made-up training step, placed by a simple best fit, for pages and tests that need an engine and no
 * native code. Deterministic: the same options give the same trace.
 */
export interface SimulationOptions {
  readonly seed: number;
  readonly steps: number;
  /** Add a request that fails near the end. */
  readonly failure: 'none' | 'fragmentation' | 'shortage';
  /** Large requests go to one growing range instead of segments. */
  readonly isExpandable: boolean;
  /** No events: only the state at one moment. */
  readonly isStateOnly: boolean;
}

export interface FakeBlock {
  readonly address: number;
  readonly bytes: number;
  readonly requested: number;
  readonly region: RegionName;
  readonly segment: number;
  readonly site: number;
  /** Event after which it exists; -1 when older than the recording. */
  readonly birth: number;
  /** Event after which it is gone; Infinity at the end. */
  death: number;
}

export interface FakeSegment {
  readonly address: number;
  bytes: number;
  readonly region: RegionName;
  readonly birth: number;
  death: number;
}

export interface FakeEvent {
  readonly time: number;
  readonly action: string;
  readonly address: number;
  readonly size: number;
  readonly block: number | null;
  readonly segment: number | null;
}

export interface FakeFailure {
  readonly event: number;
  readonly bytes: number;
  readonly deviceFree: number;
}

export interface FakeStep {
  readonly name: string;
  readonly beginEvent: number;
  readonly endEvent: number;
}

export interface Simulation {
  readonly blocks: readonly FakeBlock[];
  readonly segments: readonly FakeSegment[];
  readonly events: readonly FakeEvent[];
  readonly failures: readonly FakeFailure[];
  readonly steps: readonly FakeStep[];
}

const MIB = 1024 ** 2;
export const BASE = 0x7f1200000000;

export const FAKE_SITES = [
  { name: 'before recording', function: '', file: '', line: 0 },
  { name: 'transformer.py:212', function: 'forward', file: 'transformer.py', line: 212 },
  { name: 'autograd engine', function: 'autograd engine', file: '', line: 0 },
  { name: 'optimizers.py:82', function: 'step', file: 'optimizers.py', line: 82 },
  { name: 'optimizers.py:84', function: 'step', file: 'optimizers.py', line: 84 },
  { name: 'attention.py:57', function: 'scaled_dot_product', file: 'attention.py', line: 57 },
  { name: 'swiglu.py:31', function: 'forward', file: 'swiglu.py', line: 31 },
  { name: 'loader.py:12', function: 'next_batch', file: 'loader.py', line: 12 },
  { name: 'other', function: '', file: '', line: 0 },
] as const;

/** Alive after this event. */
export function isAlive(thing: { readonly birth: number; readonly death: number }, event: number): boolean {
  return thing.birth <= event && event < thing.death;
}

/** A 32-bit mulberry generator. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Recorder {
  private readonly random: () => number;
  private readonly options: SimulationOptions;
  readonly blocks: FakeBlock[] = [];
  readonly segments: FakeSegment[] = [];
  readonly events: FakeEvent[] = [];
  readonly failures: FakeFailure[] = [];
  readonly steps: FakeStep[] = [];
  private time = 0;
  private nextAddress = BASE;

  constructor(random: () => number, options: SimulationOptions) {
    this.random = random;
    this.options = options;
  }

  get now(): number {
    return this.events.length - 1;
  }

  allocate(requested: number, site: number): FakeBlock {
    const bytes = Math.ceil(requested / 512) * 512;
    const region: RegionName = bytes < MIB ? 'immediate' : this.options.isExpandable ? 'virtual' : 'pooled';
    const place = this.bestFit(bytes, region) ?? this.grow(bytes, region);
    const isRecorded = this.recording;
    const block: FakeBlock = {
      address: place.address,
      bytes,
      requested,
      region,
      segment: place.segment,
      site,
      birth: isRecorded ? this.events.length : -1,
      death: Number.POSITIVE_INFINITY,
    };
    this.blocks.push(block);
    if (isRecorded) this.record('alloc', block.address, bytes, this.blocks.length - 1, place.segment);
    return block;
  }

  recording = false;

  free(block: FakeBlock): void {
    if (block.death !== Number.POSITIVE_INFINITY) return;
    block.death = this.events.length;
    this.record('free_completed', block.address, block.bytes, this.blocks.indexOf(block), block.segment);
  }

  /** Gives wholly free segments back. */
  emptyCache(): void {
    this.segments.forEach((segment, row) => {
      if (segment.death !== Number.POSITIVE_INFINITY || segment.region !== 'pooled') return;
      const isUsed = this.blocks.some((block) => block.segment === row && isAlive(block, this.now));
      if (isUsed) return;
      segment.death = this.events.length;
      this.record('segment_free', segment.address, segment.bytes, null, row);
    });
  }

  fail(bytes: number, deviceFree: number): void {
    this.failures.push({ event: this.events.length, bytes, deviceFree });
    this.record('oom', 0, bytes, null, null);
  }

  step(name: string, run: () => void): void {
    const beginEvent = this.events.length;
    run();
    this.steps.push({ name, beginEvent, endEvent: this.events.length - 1 });
  }

  private record(
    action: string,
    address: number,
    size: number,
    block: number | null,
    segment: number | null,
  ): void {
    this.time += Math.round(20_000 + this.random() * 400_000);
    this.events.push({ time: this.time, action, address, size, block, segment });
  }

  private bestFit(bytes: number, region: RegionName): { address: number; segment: number } | null {
    let best: { address: number; segment: number; bytes: number } | null = null;
    this.segments.forEach((segment, row) => {
      if (segment.region !== region || !isAlive(segment, this.now)) return;
      for (const hole of holesOf(this.blocks, segment, row, this.now)) {
        if (hole.bytes >= bytes && (best === null || hole.bytes < best.bytes))
          best = { ...hole, segment: row };
      }
    });
    return best;
  }

  private grow(bytes: number, region: RegionName): { address: number; segment: number } {
    const rounded = region === 'immediate' ? 2 * MIB : Math.ceil(bytes / (20 * MIB)) * 20 * MIB;
    const last = this.segments.findIndex((segment) => segment.region === 'virtual');
    if (region === 'virtual' && last >= 0) return this.extend(last, rounded);
    const segment: FakeSegment = {
      address: this.nextAddress,
      bytes: rounded,
      region,
      birth: this.recording ? this.events.length : -1,
      death: Number.POSITIVE_INFINITY,
    };
    this.nextAddress += rounded + (region === 'virtual' ? 2 ** 34 : this.random() < 0.1 ? 512 * MIB : 0);
    this.segments.push(segment);
    if (this.recording)
      this.record('segment_alloc', segment.address, rounded, null, this.segments.length - 1);
    return { address: segment.address, segment: this.segments.length - 1 };
  }

  private extend(row: number, bytes: number): { address: number; segment: number } {
    const segment = this.segments[row];
    if (segment === undefined) throw new Error(`no segment ${row}`);
    const address = segment.address + segment.bytes;
    segment.bytes += bytes;
    if (this.recording) this.record('segment_map', address, bytes, null, row);
    return { address, segment: row };
  }
}

export function holesOf(
  blocks: readonly FakeBlock[],
  segment: FakeSegment,
  row: number,
  event: number,
): { address: number; bytes: number }[] {
  const inside = blocks
    .filter((block) => block.segment === row && isAlive(block, event))
    .sort((one, other) => one.address - other.address);
  const holes: { address: number; bytes: number }[] = [];
  let at = segment.address;
  for (const block of inside) {
    if (block.address > at) holes.push({ address: at, bytes: block.address - at });
    at = block.address + block.bytes;
  }
  const end = segment.address + segment.bytes;
  if (end > at) holes.push({ address: at, bytes: end - at });
  return holes;
}

export function simulate(options: SimulationOptions): Simulation {
  const random = randomFrom(options.seed);
  const recorder = new Recorder(random, options);
  const size = (low: number, high: number) => Math.round(low + random() * (high - low)) - 76;
  for (let layer = 0; layer < 24; layer++) recorder.allocate(size(6 * MIB, 22 * MIB), 0);
  for (let scrap = 0; scrap < 12; scrap++) recorder.allocate(size(1024, MIB / 2), 0);
  if (options.isStateOnly) return recorder;
  recorder.recording = true;
  const states: FakeBlock[] = [];
  for (let step = 0; step < options.steps; step++) {
    const activations: FakeBlock[] = [];
    const gradients: FakeBlock[] = [];
    recorder.step(`step ${step + 1}: forward`, () => {
      for (let layer = 0; layer < 24; layer++) {
        activations.push(recorder.allocate(size(4 * MIB, 24 * MIB), 1));
        activations.push(recorder.allocate(size(2 * MIB, 9 * MIB), layer % 2 ? 5 : 6));
        const scratch = recorder.allocate(size(2048, MIB / 2), 7);
        if (layer % 3) recorder.free(scratch);
        else activations.push(scratch);
      }
    });
    recorder.step(`step ${step + 1}: backward`, () => {
      for (const activation of activations.reverse()) {
        if (random() < 0.7) gradients.push(recorder.allocate(size(2 * MIB, 20 * MIB), 2));
        recorder.free(activation);
      }
    });
    recorder.step(`step ${step + 1}: AdamW.step`, () => {
      if (states.length === 0) {
        for (let layer = 0; layer < 24; layer++) {
          states.push(recorder.allocate(size(6 * MIB, 22 * MIB), 3));
          states.push(recorder.allocate(size(6 * MIB, 22 * MIB), 4));
        }
      }
      if (options.failure !== 'none' && step === options.steps - 1) {
        const isShortage = options.failure === 'shortage';
        recorder.fail(isShortage ? 4096 * MIB : 100 * MIB, isShortage ? 64 * MIB : 12 * MIB);
      }
      gradients.forEach((gradient) => {
        recorder.free(gradient);
      });
    });
    if (step === 0) recorder.emptyCache();
  }
  return recorder;
}
