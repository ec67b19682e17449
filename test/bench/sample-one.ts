import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSampler } from '../../main/engine/sampler.ts';

/** What sampling costs its process while it records and nobody looks, printed as one JSON line. */
export interface SampleCost {
  readonly gpus: number;
  readonly hz: number;
  readonly samples: number;
  /** Of one core. */
  readonly percent: number;
  /** Resident memory that is not a mapped file, from before the sampler was there. */
  readonly megabytes: number;
  readonly recordedBytes: number;
}

const SETTLING_MS = 2000;

function anonymousBytes(): number {
  return Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) * 1024;
}

async function main(file: string, hz: number, seconds: number): Promise<void> {
  const before = anonymousBytes();
  const sampler = startSampler({ scenario: null, hz });
  await sampler.waitForGpus(5000);
  await sampler.startRecording(file, 1024 ** 3, false);
  await sleep(SETTLING_MS);
  const first = sampler.status().endSample;
  const start = { cpu: process.cpuUsage(), time: performance.now() };
  await sleep(seconds * 1000);
  const { user, system } = process.cpuUsage(start.cpu);
  const cost: SampleCost = {
    gpus: sampler.gpus().length,
    hz,
    samples: sampler.status().endSample - first,
    percent: (user + system) / 10 / (performance.now() - start.time),
    megabytes: (anonymousBytes() - before) / 1e6,
    recordedBytes: sampler.status().recording?.bytes ?? 0,
  };
  await sampler.stopRecording();
  await sampler.close();
  rmSync(file, { force: true });
  process.stdout.write(`${JSON.stringify(cost)}\n`);
}

await main(process.argv[2] ?? 'bench.strata', Number(process.argv[3] ?? 10), Number(process.argv[4] ?? 20));
