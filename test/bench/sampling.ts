import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { RecordingCost } from './open-recording.ts';
import type { SampleCost } from './sample-one.ts';

export interface SamplingResult {
  readonly sampling: SampleCost | null;
  readonly recording: RecordingCost | null;
}

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): string {
  const child = spawnSync(command, args, { encoding: 'utf8', env });
  if (child.status !== 0) throw new Error(`${command} ${args[0]} failed: ${child.stderr}`);
  return child.stdout;
}

/** Eight GPUs of the fake driver, so that what is measured is the sampler and not a driver. */
function measureSampling(root: string, here: string, folder: string): SampleCost | null {
  const library = path.join(folder, 'libnvidia-ml.so.1');
  const source = path.join(root, 'test/native/device/fake_nvml.c');
  if (spawnSync('cc', ['-shared', '-fPIC', '-D_GNU_SOURCE', source, '-o', library]).status !== 0) {
    process.stderr.write('No C compiler here: sampling is not measured.\n');
    return null;
  }
  const env = {
    ...process.env,
    STRATA_NVML_LIBRARY: library,
    STRATA_SYSFS_ROOT: '/nowhere',
    FAKE_NVML: 'gpus=8 processes=4',
  };
  const script = path.join(here, 'sample-one.mjs');
  return JSON.parse(run(process.execPath, [script, path.join(folder, 'sampled.strata'), '10', '20'], env));
}

function measureRecording(root: string, here: string, folder: string): RecordingCost | null {
  if (spawnSync('cmake', ['--version']).status !== 0) {
    process.stderr.write('No CMake here: no recording is made.\n');
    return null;
  }
  const file = path.join(folder, 'day.strata');
  if (!existsSync(file)) {
    const build = path.join(root, 'native/build/bench');
    const native = path.join(root, 'native');
    run('cmake', ['-S', native, '-B', build, '-DSTRATA_BENCH=ON', '-DCMAKE_BUILD_TYPE=Release']);
    run('cmake', ['--build', build, '--target', 'recording_bench', '--parallel', '2']);
    process.stderr.write('making the recording of a day …\n');
    execFileSync(path.join(build, 'recording_bench'), [file]);
  }
  readFileSync(file); // into the page cache, so that the disk is not measured
  return JSON.parse(run(process.execPath, [path.join(here, 'open-recording.mjs'), file]));
}

/** What the sampler costs while it records, and the recording of a day when it is opened. */
export function measureLive(root: string, here: string, folder: string): SamplingResult {
  mkdirSync(folder, { recursive: true });
  return {
    sampling: measureSampling(root, here, folder),
    recording: measureRecording(root, here, folder),
  };
}

export function printLive({ sampling, recording }: SamplingResult): void {
  if (sampling !== null) {
    const { gpus, hz, percent, megabytes, samples } = sampling;
    process.stdout.write(
      `\nsampling ${gpus} GPUs at ${hz} Hz and recording: ${percent.toFixed(2)} % of a core, ` +
        `${megabytes.toFixed(1)} MB (${samples} samples)\n`,
    );
  }
  if (recording === null) return;
  const { hours, openMs, openCpuMs, firstPictureMs, windowMs } = recording;
  process.stdout.write(
    `recording of ${hours.toFixed(1)} h, ${recording.megabytes.toFixed(1)} MB: open ${openMs.toFixed(0)} ms ` +
      `(${openCpuMs.toFixed(0)} ms of processor time), ` +
      `first picture ${firstPictureMs.toFixed(0)} ms, another window ${windowMs.toFixed(1)} ms\n`,
  );
}
