// Prints what the sampler reads beside what nvidia-smi says, for a machine with a real NVIDIA GPU:
//   node test/device/compare_nvidia_smi.mjs
// Needs a built command line (npm run build). Readings move between the two looks; memory should agree to a few MiB.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const strata = fileURLToPath(new URL('../../dist/host/strata.mjs', import.meta.url));
const MEBI = 1024 ** 2;

/** Field of nvidia-smi, reading of the sampler, and what turns the one into the other's unit. */
const ROWS = [
  ['memory.total', 'total', MEBI],
  ['memory.used', 'used', MEBI],
  ['memory.reserved', 'reserved', MEBI],
  ['memory.free', 'free', MEBI],
  ['utilization.gpu', 'busy', 1],
  ['utilization.memory', 'memory-busy', 1],
  ['temperature.gpu', 'temperature', 1],
  ['power.draw', 'power', 1000],
  ['enforced.power.limit', 'power-limit', 1000],
  ['clocks.sm', 'core-clock', 1],
  ['clocks.mem', 'memory-clock', 1],
];

function run(program, args) {
  try {
    return execFileSync(program, args, { encoding: 'utf8' });
  } catch (error) {
    console.error(`${program} could not be run: ${error.message}`);
    process.exit(1);
  }
}

const fields = ['uuid', ...ROWS.map(([field]) => field)].join(',');
const said = run('nvidia-smi', [`--query-gpu=${fields}`, '--format=csv,noheader,nounits'])
  .trim()
  .split('\n')
  .map((line) => line.split(',').map((cell) => cell.trim()));
const samples = run(process.execPath, [strata, 'sample', '--seconds', '2', '--hz', '5', '--json'])
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const newest = samples.at(-1);

for (const [uuid, ...values] of said) {
  const gpu = newest.gpus.find((one) => one.id === uuid);
  console.log(
    `\n${uuid} ${gpu === undefined ? 'is not among the sampled GPUs' : `${gpu.name}, ${gpu.accounting}`}`,
  );
  if (gpu === undefined) continue;
  ROWS.forEach(([field, reading, unit], row) => {
    const ours = gpu[reading] === null ? 'absent' : (gpu[reading] / unit).toFixed(1);
    console.log(`  ${field.padEnd(22)} ${String(values[row]).padStart(12)} ${ours.padStart(12)}`);
  });
  const ours = (gpu.processes ?? []).map(
    (one) => `${one.pid} ${one.name} ${(one.bytes ?? Number.NaN) / MEBI}`,
  );
  console.log(`  processes: ${ours.join('; ') || 'none'}`);
}
const processes = run('nvidia-smi', ['--query-compute-apps=gpu_uuid,pid,name,used_memory', '--format=csv']);
console.log(`\nnvidia-smi's processes:\n${processes}`);
