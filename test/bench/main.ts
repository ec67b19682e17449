import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type AllocatorResult, measureAllocators } from './allocators.ts';
import type { OpenResult } from './open-one.ts';
import { measurePage, type PageResult } from './page.ts';
import type { Percentiles } from './percentiles.ts';
import { measureRecords, printRecords } from './records.ts';
import { measureLive, printLive } from './sampling.ts';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../..');

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100000,1000000,7000000' },
    generator: { type: 'string', default: path.join(root, '../shared/tools/gen_snapshot.py') },
    keep: { type: 'string', default: path.join(os.tmpdir(), 'strata-bench') },
    json: { type: 'string' },
    'no-page': { type: 'boolean', default: false },
    'no-allocators': { type: 'boolean', default: false },
    'no-live': { type: 'boolean', default: false },
    'no-records': { type: 'boolean', default: false },
    scale: { type: 'string', default: '1' },
    operations: { type: 'string', default: '1000000' },
  },
});

interface Row {
  readonly open: OpenResult;
  readonly page: PageResult | null;
}

function makeCapture(events: number): string {
  mkdirSync(options.keep, { recursive: true });
  const file = path.join(options.keep, `snapshot-${events}.pickle`);
  if (!existsSync(file)) {
    process.stderr.write(`making a capture of ${events} events …\n`);
    execFileSync('python3', [options.generator, String(events), `${file}.part`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    renameSync(`${file}.part`, file);
  }
  readFileSync(file); // into the page cache, so that the disk is not measured
  return file;
}

function openInOwnProcess(file: string): OpenResult {
  const child = spawnSync(process.execPath, [path.join(here, 'open-one.mjs'), file], { encoding: 'utf8' });
  if (child.status !== 0) throw new Error(`open-one failed for ${file}: ${child.stderr}`);
  return JSON.parse(child.stdout) as OpenResult;
}

function print(rows: readonly Row[]): void {
  const fixed = (value: number, digits = 1) => value.toFixed(digits);
  const table: Record<string, string[]> = {
    events: [],
    MB: [],
    'open ms': [],
    'first picture ms': [],
    'MB/s': [],
  };
  const add = (name: string, value: string) => {
    table[name] = [...(table[name] ?? []), value];
  };
  for (const { open, page } of rows) {
    add('events', String(open.events));
    add('MB', fixed(open.megabytes));
    add('open ms', fixed(open.openMs, 0));
    add('first picture ms', fixed(open.firstPictureMs, 0));
    add('MB/s', fixed(open.megabytesPerSecond, 0));
    add('bytes an event, opened', fixed(open.bytesPerEvent));
    add('bytes an event, all queries', fixed(open.bytesPerEventAfterQueries));
    for (const [name, one] of Object.entries(open.queries)) {
      add(
        `${name} p50 / p95 / max ms`,
        [one.p50, one.p95, one.max].map((value) => fixed(value, 2)).join(' / '),
      );
    }
    if (page === null) continue;
    add('page: picture ms', fixed(page.pictureMs, 0));
    const both = ({ p50, p95 }: Percentiles) => `${fixed(p50)} / ${fixed(p95)}`;
    add('page: pan frames apart p50 / p95 ms', both(page.pan));
    add('page: zoom frames apart p50 / p95 ms', both(page.zoom));
    add('page: main thread a pan frame p50 / p95 ms', both(page.panWork));
    add('page: main thread a zoom frame p50 / p95 ms', both(page.zoomWork));
  }
  const width = Math.max(...Object.keys(table).map((name) => name.length));
  const cell = Math.max(
    ...Object.values(table)
      .flat()
      .map((value) => value.length),
  );
  for (const [name, values] of Object.entries(table)) {
    process.stdout.write(
      `${name.padEnd(width)}  ${values.map((value) => value.padStart(cell)).join('  ')}\n`,
    );
  }
}

function printAllocators(results: readonly AllocatorResult[]): void {
  const workloads = [...new Set(results.map((one) => one.workload))];
  const allocators = [...new Set(results.map((one) => one.allocator))];
  const left = Math.max(...workloads.map((name) => name.length));
  process.stdout.write(`\nmillion operations a second (processor time)\n${' '.repeat(left)}`);
  for (const name of allocators) process.stdout.write(`  ${name}`);
  for (const workload of workloads) {
    process.stdout.write(`\n${workload.padEnd(left)}`);
    for (const name of allocators) {
      const found = results.find((one) => one.workload === workload && one.allocator === name);
      const speed = found === undefined ? '' : (found.operationsPerSecond / 1e6).toFixed(1);
      process.stdout.write(`  ${speed.padStart(name.length)}`);
    }
  }
  process.stdout.write('\n');
}

if (!existsSync(options.generator)) {
  process.stderr.write(`No generator at ${options.generator}: name one with --generator.\n`);
  process.exit(1);
}
const rows: Row[] = [];
for (const events of options.sizes.split(',').map(Number).filter(Boolean)) {
  const file = makeCapture(events);
  rows.push({
    open: openInOwnProcess(file),
    page: options['no-page'] ? null : await measurePage(root, file),
  });
}
if (rows.length > 0) print(rows);
const allocators = options['no-allocators']
  ? null
  : measureAllocators(root, options.keep, options.operations);
if (allocators !== null) printAllocators(allocators);
const live = options['no-live'] ? null : measureLive(root, here, options.keep);
if (live !== null) printLive(live);
const records = options['no-records'] ? null : measureRecords(root, options.keep, Number(options.scale));
if (records !== null) printRecords(records);
if (options.json !== undefined) {
  const machine = { cpus: os.cpus().length, model: os.cpus()[0]?.model ?? '', node: process.version };
  writeFileSync(
    options.json,
    `${JSON.stringify({ schema: 'strata.bench/1', machine, rows, allocators, live, records }, null, 2)}\n`,
  );
}
