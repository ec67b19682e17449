import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RecordResult } from './open-record.ts';

const here = path.dirname(fileURLToPath(import.meta.url));

/** A large capture that make_records.py makes, and the goal for opening it. */
interface Kind {
  readonly name: string;
  readonly goal: string;
  readonly isMet: (result: RecordResult) => boolean;
}

const KINDS: readonly Kind[] = [
  { name: 'kineto', goal: '1.5 s', isMet: ({ openMs }) => openMs < 1500 },
  { name: 'rmm', goal: '150 MB/s', isMet: ({ megabytesPerSecond }) => megabytesPerSecond >= 150 },
  { name: 'tensorflow', goal: '500 MB/s', isMet: ({ megabytesPerSecond }) => megabytesPerSecond >= 500 },
  { name: 'nsight', goal: '3 s', isMet: ({ openMs }) => openMs < 3000 },
];

export interface NamedResult extends RecordResult {
  readonly name: string;
  readonly goal: string;
  readonly isMet: boolean;
}

/** Makes the captures once, in `keep`, and opens each in a process of its own. `scale` 1 is the size of the goals. */
export function measureRecords(root: string, keep: string, scale: number): NamedResult[] {
  return KINDS.map(({ name, goal, isMet }) => {
    const file = makeRecord(root, keep, name, scale);
    readFileSync(file); // into the page cache, so that the disk is not measured
    const child = spawnSync(process.execPath, [path.join(here, 'open-record.mjs'), file], {
      encoding: 'utf8',
    });
    if (child.status !== 0) throw new Error(`open-record failed for ${file}: ${child.stderr}`);
    const result = JSON.parse(child.stdout) as RecordResult;
    return { ...result, name, goal, isMet: isMet(result) };
  });
}

function makeRecord(root: string, keep: string, name: string, scale: number): string {
  mkdirSync(keep, { recursive: true });
  const file = path.join(keep, `${name}-${scale}`);
  if (existsSync(file)) return file;
  process.stderr.write(`making a large capture of ${name} …\n`);
  const maker = path.join(root, 'test/bench/make_records.py');
  execFileSync('python3', [maker, name, `${file}.part`, String(scale)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  renameSync(`${file}.part`, file);
  return file;
}

export function printRecords(results: readonly NamedResult[]): void {
  const rows = [
    ['format', 'MB', 'events', 'open ms', 'processor ms', 'MB/s', 'memory MB', 'goal'],
    ...results.map((one) => [
      one.format,
      one.megabytes.toFixed(0),
      String(one.events),
      one.openMs.toFixed(0),
      one.processorMs.toFixed(0),
      one.megabytesPerSecond.toFixed(0),
      one.memoryMegabytes.toFixed(0),
      `${one.goal}${one.isMet ? '' : ' missed'}`,
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  process.stdout.write('\nlarge captures of other formats\n');
  for (const row of rows) {
    process.stdout.write(`${row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')}\n`);
  }
}
