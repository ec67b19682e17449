import { statSync } from 'node:fs';
import { createEngine } from '../../main/engine/index.ts';

/** What a recording of GPUs costs to open and to show, printed as one JSON line. */
export interface RecordingCost {
  readonly megabytes: number;
  readonly hours: number;
  readonly openMs: number;
  /** Processor time of it, which other programs on the machine disturb far less. */
  readonly openCpuMs: number;
  /** Until the lanes of one GPU are there. */
  readonly firstPictureMs: number;
  /** One more window of the same lanes. */
  readonly windowMs: number;
}

const COLUMNS = 1100;

async function main(file: string): Promise<void> {
  const engine = createEngine();
  const before = process.cpuUsage();
  const start = performance.now();
  const info = await engine.call('open', { source: { kind: 'path', path: file } });
  const cpu = process.cpuUsage(before);
  const openMs = performance.now() - start;
  const { counters } = await engine.call('counters', { trace: info.trace });
  const rows = counters.flatMap((one, row) => (one.group === 'GPU 1' && !one.isProcess ? [row] : []));
  const lanes = { trace: info.trace, counters: rows, columns: COLUMNS };
  await engine.call('counterSeries', { ...lanes, from: 0, to: info.durationNs });
  const firstPictureMs = performance.now() - start;
  const again = performance.now();
  await engine.call('counterSeries', { ...lanes, from: info.durationNs * 0.2, to: info.durationNs * 0.9 });
  const cost: RecordingCost = {
    megabytes: statSync(file).size / 1e6,
    hours: info.durationNs / 3.6e12,
    openMs,
    openCpuMs: (cpu.user + cpu.system) / 1000,
    firstPictureMs,
    windowMs: performance.now() - again,
  };
  process.stdout.write(`${JSON.stringify(cost)}\n`);
}

await main(process.argv[2] ?? '');
