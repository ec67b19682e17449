import { readFileSync, statSync } from 'node:fs';
import { createEngine } from '../../main/engine/index.ts';

/** What opening one large capture cost, printed as one JSON line. */
export interface RecordResult {
  readonly format: string;
  readonly megabytes: number;
  readonly events: number;
  readonly openMs: number;
  /** Processor time of all threads, which other programs on the machine disturb less. */
  readonly processorMs: number;
  readonly megabytesPerSecond: number;
  /** The most anonymous memory while it was opened and after, in MB; the file itself is mapped and not counted. */
  readonly memoryMegabytes: number;
}

function residentMegabytes(): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1e3;
}

async function main(path: string): Promise<void> {
  const engine = createEngine();
  const before = residentMegabytes();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, residentMegabytes());
  }, 20);
  const processor = process.cpuUsage();
  const start = performance.now();
  const info = await engine.call('open', { source: { kind: 'path', path } });
  const openMs = performance.now() - start;
  const { user, system } = process.cpuUsage(processor);
  clearInterval(watch);
  const bytes = statSync(path).size;
  const result: RecordResult = {
    format: info.format,
    megabytes: bytes / 1e6,
    events: info.devices.reduce((sum, device) => sum + device.events, 0),
    openMs,
    processorMs: (user + system) / 1e3,
    megabytesPerSecond: bytes / 1e3 / openMs,
    memoryMegabytes: Math.max(most, residentMegabytes()) - before,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

await main(process.argv[2] ?? '');
