import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

/** One line of `allocator_bench`: processor time of one simulated allocator on one workload. */
export interface AllocatorResult {
  readonly allocator: string;
  readonly workload: string;
  readonly operations: number;
  readonly refused: number;
  readonly seconds: number;
  readonly operationsPerSecond: number;
}

function run(command: string, args: readonly string[]): string {
  const child = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (child.status !== 0)
    throw new Error(`${command} ${args[0]} failed: ${child.error?.message ?? child.stderr}`);
  return child.stdout;
}

/** The recorded trace of 200,000 operations, unpacked; without it the bench makes one of the same kind. */
function recordedTrace(root: string, folder: string): readonly string[] {
  const packed = path.join(root, '../shared/golden/traces/big200k.trace.gz');
  if (!existsSync(packed)) return [];
  const unpacked = path.join(folder, 'big200k.trace');
  writeFileSync(unpacked, gunzipSync(readFileSync(packed)));
  return ['--trace', unpacked];
}

/** Builds and runs the C++ benchmark. Null, with a reason, without CMake. */
export function measureAllocators(root: string, folder: string, largest: string): AllocatorResult[] | null {
  if (spawnSync('cmake', ['--version']).status !== 0) {
    process.stderr.write('No CMake here: the simulated allocators are not measured.\n');
    return null;
  }
  mkdirSync(folder, { recursive: true });
  const build = path.join(root, 'native/build/bench');
  run('cmake', [
    '-S',
    path.join(root, 'native'),
    '-B',
    build,
    '-DSTRATA_BENCH=ON',
    '-DCMAKE_BUILD_TYPE=Release',
  ]);
  run('cmake', ['--build', build, '--target', 'allocator_bench', '--parallel', '2']);
  const options = [...recordedTrace(root, folder), '--largest', largest, '--repeat', '3'];
  return run(path.join(build, 'allocator_bench'), options)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AllocatorResult);
}
