import { spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../../main/engine/index.ts';
import { temporaryFolder } from '../engine/archives.ts';
import { buildFakeNvml } from '../engine/fake-nvml.ts';
import { runStrata } from './run-strata.ts';

const folder = temporaryFolder();
const home = dirname(folder.write('empty', ''));
const library = buildFakeNvml(home);
const engine = createEngine();

const strata = (args: readonly string[], signal?: AbortSignal) =>
  runStrata(['sample', ...args], signal === undefined ? {} : { signal });

/** Only what a test says is there to be found. */
function machine(options: { readonly nvml?: string; readonly fake?: string }) {
  process.env['STRATA_NVML_LIBRARY'] = options.nvml ?? '/nowhere/libnvidia-ml.so.1';
  process.env['STRATA_SYSFS_ROOT'] = '/nowhere';
  process.env['STRATA_PROC_ROOT'] = '/nowhere';
  process.env['FAKE_NVML'] = options.fake ?? '';
}
afterEach(() => {
  for (const name of ['STRATA_NVML_LIBRARY', 'STRATA_SYSFS_ROOT', 'STRATA_PROC_ROOT', 'FAKE_NVML']) {
    delete process.env[name];
  }
});

describe('strata sample', () => {
  it('says what it looked for, where, and what to do when there is no GPU', async () => {
    machine({});
    const { code, out, err } = await strata(['--seconds', '1']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('/nowhere/libnvidia-ml.so.1');
    expect(err).toContain('/nowhere/class/drm');
    expect(err).toContain('--simulated');
    expect(err).toContain('(no-gpus)');
  });

  it('refuses rates that cannot be and two forms at once', async () => {
    for (const args of [
      ['--hz', '51'],
      ['--hz', '0'],
      ['--seconds', '-1'],
      ['--json', '--csv'],
      ['--simulated', 'x'],
    ]) {
      expect((await strata(args)).code).toBe(1);
    }
  });

  it.skipIf(library === null)('prints every sample as a line of JSON, absent readings as null', async () => {
    machine({ nvml: library as string, fake: 'gpus=2 mig=1 processes=2 fail=nvmlDeviceGetPowerUsage:3' });
    const { code, out } = await strata(['--seconds', '0.6', '--hz', '20', '--json']);
    expect(code).toBe(0);
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.length).toBeGreaterThan(2);
    const [first] = lines;
    expect(first).toMatchObject({ schema: 'strata.sample/1', gap_before: false });
    expect(first.gpus).toHaveLength(3);
    expect(first.gpus[1]).toMatchObject({ id: 'MIG-fake-0-0', parent: 0, busy: null, used: 1024 ** 3 });
    expect(first.gpus[2]).toMatchObject({
      id: 'GPU-fake-1',
      accounting: 'reserved-apart',
      used: 11 * 1024 ** 3,
      power: null,
      temperature: 41,
    });
    expect(first.gpus[2].processes).toEqual([
      { pid: 4000000, name: 'fake-4000000', bytes: 1024 ** 3, busy: 20 },
      { pid: 4000001, name: 'fake-4000001', bytes: null, busy: null },
    ]);
  });

  it.skipIf(library === null)('says that no sample came when a call of the driver hangs', async () => {
    machine({ nvml: library as string, fake: 'gpus=1 hang=nvmlDeviceGetTemperature' });
    const { code, out, err } = await strata(['--seconds', '0.5']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('before a single sample came');
    expect(err).toContain('(no-samples)');
  });

  it('prints simulated GPUs as CSV, and says that they are simulated', async () => {
    const { code, out, err } = await strata(['--simulated', 'eight-gpus', '--seconds', '0.5', '--csv']);
    expect(code).toBe(0);
    expect(err).toContain('simulated');
    const [head, ...rows] = out.trimEnd().split('\n');
    expect(head?.split(',').slice(0, 9)).toEqual([
      'time',
      'ns',
      'gap_before',
      'gpu',
      'id',
      'lost',
      'accounting',
      'total',
      'used',
    ]);
    expect(rows.length % 10).toBe(0);
    expect(rows.every((row) => row.split(',').length === head?.split(',').length)).toBe(true);
  });

  it('ends a recording cleanly on Ctrl-C; it opens as a trace of counters', async () => {
    const path = join(home, 'run.strata');
    const stopping = new AbortController();
    const running = strata(['--simulated', '--hz', '50', '--out', path], stopping.signal);
    while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 10));
    await new Promise((resolve) => setTimeout(resolve, 700));
    stopping.abort();
    const { code, err } = await running;
    expect(code).toBe(0);
    expect(err).toContain('Recorded');
    const info = await engine.call('open', { source: { kind: 'path', path } });
    expect(info).toMatchObject({ format: 'gpu-recording', isComplete: true, devices: [], hasClock: true });
    const { trace } = info;
    const report = await engine.call('report', { trace });
    expect(report.warnings.map((warning) => warning.code)).toEqual(['gpu-recording-simulated']);
    const text = await runStrata(['report', path]);
    expect(text.out).toMatch(/power-limit +700\.0 W to 700\.0 W/);
    const { counters } = await engine.call('counters', { trace });
    const used = counters.findIndex((one) => one.group === 'GPU 0' && one.name === 'used');
    expect(counters[used]).toMatchObject({ unit: 'bytes', isProcess: false });
    const window = { trace, counters: [used], from: 0, to: info.durationNs, columns: 4 };
    const [columns] = await engine.call('counterSeries', window);
    expect(Math.max(...(columns?.max ?? []).filter((value) => !Number.isNaN(value)))).toBeGreaterThan(
      2 ** 28,
    );
    await engine.call('close', { trace });
    truncateSync(path, statSync(path).size - 5);
    const damaged = await engine.call('open', { source: { kind: 'path', path } });
    expect(damaged.isComplete).toBe(false);
    await engine.call('close', { trace: damaged.trace });
  });

  it('never overwrites a recording by accident, and goes on with it when told to', async () => {
    const path = join(home, 'kept.strata');
    const record = (...more: readonly string[]) =>
      strata(['--simulated', '--seconds', '0.4', '--hz', '50', '--out', path, ...more]);
    expect(await record()).toMatchObject({ code: 0, err: expect.stringMatching(/samples of 1 GPU,/) });
    const first = statSync(path).size;
    const refused = await record();
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('(recording-exists)');
    expect(refused.err).toContain('--append');
    expect(statSync(path).size).toBe(first);
    expect((await record('--append')).code).toBe(0);
    expect(statSync(path).size).toBeGreaterThan(first);
    const info = await engine.call('open', { source: { kind: 'path', path } });
    expect(info.isComplete).toBe(true);
    expect(info.durationNs).toBeGreaterThan(0.8e9);
    await engine.call('close', { trace: info.trace });
    renameSync(path, `${path}.1`);
    expect((await record()).err).toContain('kept.strata.1 is there already');
    expect((await record('--force')).code).toBe(0);
    expect(existsSync(`${path}.1`)).toBe(false);
    expect((await record('--force', '--append')).code).toBe(1);
  });

  it('goes on with nothing but a recording, and leaves every other file as it is', async () => {
    const text = join(home, 'train.log');
    writeFileSync(text, 'step 1\n');
    const record = (...more: readonly string[]) => strata(['--simulated', '--seconds', '0.3', ...more]);
    const refused = await record('--out', text, '--append');
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('train.log is no recording of GPUs; it was left as it is.');
    expect(refused.err).toContain('name a file that is not there yet');
    expect(refused.err).toContain('(not-a-recording)');
    expect(readFileSync(text, 'utf8')).toBe('step 1\n');
    const turned = join(home, 'gpu.log');
    writeFileSync(`${turned}.1`, 'of logrotate');
    for (const more of [['--force'], ['--append']]) {
      const kept = await record('--out', turned, ...more);
      expect(kept.code).toBe(1);
      expect(kept.err).toContain('gpu.log.1 is no recording of GPUs');
      expect(kept.err).toContain('Move it away');
    }
    expect(readFileSync(`${turned}.1`, 'utf8')).toBe('of logrotate');
    expect(existsSync(turned)).toBe(false);
    const empty = join(home, 'empty.strata');
    writeFileSync(empty, '');
    expect((await record('--out', empty, '--append')).code).toBe(0);
  });

  it('says what to name instead of a folder, and of a file in one that is not there', async () => {
    for (const more of [[], ['--force'], ['--append']]) {
      const { code, err } = await strata(['--simulated', '--out', home, ...more]);
      expect(code).toBe(1);
      expect(err).toContain(`${home} is a folder, and a recording is a file.`);
      expect(err).toContain(`Name a file in it: ${join(home, 'gpus.strata')}`);
    }
    const { code, err } = await strata(['--simulated', '--out', join(home, 'not', 'there.strata')]);
    expect(code).toBe(1);
    expect(err).toContain(`There is no folder ${join(home, 'not')}`);
    expect(existsSync(join(home, 'not'))).toBe(false);
  });

  it('refuses a limit that it cannot keep, says the least, and keeps that', async () => {
    const path = join(home, 'least.strata');
    const record = (limit: string) =>
      strata(['--simulated', 'eight-gpus', '--seconds', '2', '--hz', '50', '--out', path, '--limit', limit]);
    const refused = await record('0.001');
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('a recording of 10 GPUs cannot be kept within 0.001 MiB');
    expect(refused.err).toContain('(limit-too-small)');
    expect(existsSync(path)).toBe(false);
    const [, least = ''] = /at least (\S+) MiB/.exec(refused.err) ?? [];
    expect((await record(least)).code).toBe(0);
    const sizes = [path, `${path}.1`].filter(existsSync).map((part) => statSync(part).size);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(Number(least) * 1024 ** 2);
  });

  it('goes on with no recording of other GPUs, and says so', async () => {
    const path = join(home, 'one.strata');
    const base = ['--seconds', '0.2', '--out', path];
    expect((await strata(['--simulated', ...base])).code).toBe(0);
    const { code, err } = await strata(['--simulated', 'eight-gpus', '--append', ...base]);
    expect(code).toBe(1);
    expect(err).toContain('other GPUs');
  });

  it('tells what is still there apart from what was written when the limit turns files over', async () => {
    const path = join(home, 'turned.strata');
    const args = ['--simulated', 'slow-leak', '--seconds', '2.5', '--hz', '50', '--limit', '0.0018'];
    const { code, err } = await strata([...args, '--out', path]);
    expect(code).toBe(0);
    const [written, kept] = [...err.matchAll(/([\d,]+) samples/g)].map((match) =>
      Number(match[1]?.replaceAll(',', '')),
    );
    expect(err).toContain('turned.strata.1');
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(written as number);
    let there = 0;
    for (const part of [path, `${path}.1`]) {
      const info = await engine.call('open', { source: { kind: 'path', path: part } });
      there += Number((await engine.call('settings', { trace: info.trace }))['samples']);
      await engine.call('close', { trace: info.trace });
    }
    expect(there).toBe(kept);
  });

  it('says why a recording cannot be made', async () => {
    const { code, err } = await strata(['--simulated', '--seconds', '1', '--out', '/nowhere/a.strata']);
    expect(code).toBe(1);
    expect(err).toContain('(recording-failed)');
  });

  const program = fileURLToPath(new URL('../../../dist/host/strata.mjs', import.meta.url));
  it.skipIf(!existsSync(program))(
    'leaves a recording that opens when it is killed, and says what may be missing',
    async () => {
      const path = join(home, 'killed.strata');
      const child = spawn(process.execPath, [program, 'sample', '--simulated', '--hz', '50', '--out', path]);
      const gone = new Promise((resolve) => child.on('exit', resolve));
      while (!existsSync(path) || statSync(path).size < 2000)
        await new Promise((resolve) => setTimeout(resolve, 20));
      child.kill('SIGKILL');
      await gone;
      const info = await engine.call('open', { source: { kind: 'path', path } });
      const { trace } = info;
      expect(info.durationNs).toBeGreaterThan(0.2e9);
      const { warnings } = await engine.call('report', { trace });
      expect(warnings.map((warning) => warning.code).join(' ')).toMatch(/unfinished|cut-off/);
      expect((await engine.call('settings', { trace }))['closing record']).toBe('missing');
      await engine.call('close', { trace });
    },
    30_000,
  );

  it.skipIf(library === null || !existsSync(program))(
    'ends although a call of the driver never returns',
    async () => {
      const child = spawn(process.execPath, [program, 'sample', '--seconds', '1', '--json'], {
        env: {
          ...process.env,
          STRATA_NVML_LIBRARY: library as string,
          FAKE_NVML: 'gpus=1 hang=nvmlDeviceGetTemperature',
        },
      });
      const code = await new Promise((resolve) => child.on('exit', resolve));
      expect(code).toBe(1); // it got no sample
    },
    30_000,
  );
});
