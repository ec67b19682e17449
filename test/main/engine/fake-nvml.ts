import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../../native/device/fake_nvml.c', import.meta.url));

/** Compiles the fake driver library into a folder; null where there is no C compiler, with the reason printed. */
export function buildFakeNvml(folder: string): string | null {
  const library = join(folder, 'libnvidia-ml.so.1');
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-D_GNU_SOURCE', source, '-o', library]);
    return library;
  } catch (error) {
    process.stderr.write(`The fake driver is left out: ${String(error)}\n`);
    return null;
  }
}
