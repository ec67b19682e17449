import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sentence } from '../../../main/cli/words.ts';
import { runStrata as strata } from './run-strata.ts';

const sampleNamed = (name: string) =>
  fileURLToPath(new URL(`../../../app/samples/${name}.pickle.gz`, import.meta.url));
const outOfMemory = sampleNamed('out-of-memory');
const training = sampleNamed('training-step');

const documented = readFileSync(new URL('../../../main/cli/SIMULATE.md', import.meta.url), 'utf8');

function keysOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => [key, ...(key === 'settings' ? [] : keysOf(one))]);
}

describe('strata simulators', () => {
  it('lists every allocator with its settings and their defaults', async () => {
    const { code, out, err } = await strata(['simulators']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^pytorch$/m);
    expect(out).toMatch(/^ {2}max_split_size_mb +a whole number, 20 to \d+ +not set$/m);
    expect(out).toMatch(/^ {2}allow_growth +true or false +default true$/m);
  });

  it('lists them as JSON', async () => {
    const { out } = await strata(['simulators', '--json']);
    const list = JSON.parse(out) as { schema: string; simulators: { name: string; settings: unknown[] }[] };
    expect(list.schema).toBe('strata.simulators/1');
    expect(list.simulators.map((one) => one.name)).toContain('bfc');
  });
});

describe('strata simulate', () => {
  it('says in a sentence how the run compares, and shows both in a table', async () => {
    const { code, out, err } = await strata(['simulate', training, '--allocator', 'pytorch']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/ {2}The peak is .+\.\n/);
    expect(out).toMatch(/^ {4}peak reserved( +[\d,]+ +[\d.]+ [KMG]iB){2}$/m);
    expect(out).toMatch(/^ {4}estimated cost +~ /m);
    expect(out).toContain('Costs are estimates');
    expect(out.split('\n').every((line) => line === line.trimEnd())).toBe(true);
    expect(out).not.toMatch(/[\u00a0\u202f]/);
  });

  it('takes settings and a capacity, and prints JSON in the documented schema', async () => {
    const args = ['--allocator', 'bfc', '--set', 'allow_growth=false', '--capacity', '64GiB', '--json'];
    const { code, out } = await strata(['simulate', outOfMemory, ...args]);
    const json = JSON.parse(out) as Record<string, Record<string, unknown>>;
    expect(code).toBe(0);
    expect(json['schema']).toBe('strata.simulate/1');
    expect(json['run']).toMatchObject({
      allocator: 'bfc',
      settings: { allow_growth: 'false' },
      capacity: 64 * 1024 ** 3,
      capacity_from: 'given',
      failures: 0,
      first_failure: null,
      peak_reserved: { bytes: 64 * 1024 ** 3 },
    });
    for (const key of keysOf(json)) expect(documented, `SIMULATE.md explains ${key}`).toContain(`\`${key}`);
  });

  it('estimates as calls × what each is taken to cost', async () => {
    const { out } = await strata(['simulate', training, '--allocator', 'pytorch', '--json']);
    const { run, cost_model_ns: model } = JSON.parse(out) as {
      run: { calls: Record<string, number>; estimated_cost_ns: number };
      cost_model_ns: Record<string, number>;
    };
    const sum = Object.entries(model).reduce((cost, [call, each]) => cost + each * (run.calls[call] ?? 0), 0);
    expect(run.estimated_cost_ns).toBe(sum);
  });

  it.each([
    ['an unknown allocator', ['--allocator', 'nope'], 'unknown-allocator', 'There are: pytorch, bfc'],
    [
      'an unknown setting',
      ['--allocator', 'bfc', '--set', 'nope=1'],
      'unknown-setting',
      'It has: memory_limit, allow_growth',
    ],
    [
      'a value that cannot be',
      ['--allocator', 'pytorch', '--set', 'max_split_size_mb=many'],
      'bad-setting',
      'max_split_size_mb',
    ],
    ['a device that is not there', ['--allocator', 'bfc', '--device', '7'], 'no-such-device', 'It holds: 0'],
  ])('refuses %s and says what there is', async (_, args, code, words) => {
    const run = await strata(['simulate', training, ...args]);
    expect({ code: run.code, out: run.out }).toEqual({ code: 1, out: '' });
    expect(run.err).toMatch(/^strata: .+\.\n/);
    expect(run.err).toContain(`(${code})`);
    expect(run.err).toContain(words);
  });

  it.each([
    ['without an allocator', []],
    ['with a capacity that is no size', ['--allocator', 'bfc', '--capacity', 'much']],
    ['with a setting that has no value', ['--allocator', 'bfc', '--set', 'allow_growth']],
  ])('is refused %s', async (_, args) => {
    const { code, out, err } = await strata(['simulate', training, ...args]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^error: /);
  });
});

describe('strata sweep', () => {
  it('answers which settings would have survived, and ranks the runs', async () => {
    const { code, out, err } = await strata(['sweep', outOfMemory]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/The recording ran out of memory\. With .+ it would have survived, with .+ to spare/);
    expect(out).toMatch(/^ {4}pytorch.* \(as recorded\)/m);
    expect(out).toContain('as the failed request of the recording states them');
    expect(out).not.toMatch(/[\u00a0\u202f*]/);
  });

  it('prints JSON in the documented schema, best first', async () => {
    const { code, out } = await strata(['sweep', '--json', outOfMemory]);
    const json = JSON.parse(out) as {
      schema: string;
      runs: { failures: number; peak_reserved: { bytes: number } }[];
    };
    expect(code).toBe(0);
    expect(json.schema).toBe('strata.sweep/1');
    const rank = json.runs.map((run) => [Math.min(1, run.failures), run.peak_reserved.bytes] as const);
    const whole = rank.filter(([hasFailed]) => hasFailed === 0).map(([, bytes]) => bytes);
    expect(whole.length).toBeGreaterThan(0);
    expect(whole).toEqual([...whole].sort((one, other) => one - other));
    expect(rank.slice(0, whole.length).every(([hasFailed]) => hasFailed === 0)).toBe(true);
    for (const key of keysOf(json)) expect(documented, `SIMULATE.md explains ${key}`).toContain(`\`${key}`);
  });

  it('shows progress only where a person watches, and clears it', async () => {
    const { err } = await strata(['sweep', training], { watched: true });
    expect(err).toContain('Simulating');
    expect(err.endsWith('\r\u001b[K')).toBe(true);
  });

  it('is cancelled by Ctrl-C while it simulates', async () => {
    const controller = new AbortController();
    const onError = (text: string) => {
      if (text.includes('Simulating')) controller.abort();
    };
    const run = await strata(['sweep', training], { watched: true, signal: controller.signal, onError });
    expect(run).toMatchObject({ code: 130, out: '' });
  });
});

describe('the sentences of the terminal', () => {
  it('are those of the page, with their places filled and their plurals chosen', () => {
    expect(sentence('sentence.survived', { best: 'A', room: '1 GiB', count: 0 })).toBe(
      'The recording ran out of memory. With A it would have survived, with 1 GiB to spare.',
    );
    expect(sentence('caveat.older-blocks', { count: 1200 })).toMatch(/^1,200 blocks are older/);
    expect(sentence('caveat.estimated-trace', { count: 1 })).toMatch(/^The trace itself/);
    expect(() => sentence('nothing.such')).toThrow('no message');
  });
});
