import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nextGrowth } from '../../../../main/engine/allocations/growth.ts';
import { RateMeter } from '../../../../main/engine/allocations/rate-meter.ts';
import { isLeft, withoutProcess } from '../../../../main/engine/allocations/recording-name.ts';
import { createEngine, type OwnEngine } from '../../../../main/engine/index.ts';
import { alloc, Program } from './program.ts';

/** What a page may ask of live allocations, over the engine itself. */

let home: string;
let engine: OwnEngine;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'strata-allocations-'));
  process.env['STRATA_RUNTIME_DIR'] = join(home, 'run');
  process.env['STRATA_RECORDINGS'] = join(home, 'recordings');
  engine = createEngine();
});
afterEach(async () => {
  await engine.call('allocationsClose', {});
  delete process.env['STRATA_RUNTIME_DIR'];
  delete process.env['STRATA_RECORDINGS'];
  rmSync(home, { recursive: true, force: true });
});

async function connect(producer = 'train.py'): Promise<Program> {
  const { endpoint } = await engine.call('allocationsListen', {});
  const program = new Program(endpoint?.address ?? '');
  program.hello({ producer });
  await program.answer('accepted');
  return program;
}

const session = async () => (await engine.call('allocations', {})).sessions[0];

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('live allocations', () => {
  it('listen when they are told to, once, and say where', async () => {
    expect(await engine.call('allocations', {})).toMatchObject({ endpoint: null, sessions: [] });
    const first = await engine.call('allocationsListen', {});
    expect(first.endpoint?.address).toBe(`unix:${join(home, 'run', 'allocations.sock')}`);
    expect(first.endpoint?.pythonFolder).toMatch(/app.python$/);
    expect((await engine.call('allocationsListen', {})).endpoint).toEqual(first.endpoint);
    await expect(createEngine().call('allocationsListen', {})).rejects.toMatchObject({
      code: 'already-listening',
    });
    await engine.call('allocationsClose', {});
    expect((await engine.call('allocations', {})).endpoint).toBeNull();
    expect((await engine.call('allocationsListen', {})).endpoint).toEqual(first.endpoint);
  });

  it('show a session as a trace that keeps its name while it grows, whole to whoever asks', async () => {
    const program = await connect();
    await expect(engine.call('allocationsWatch', { session: 's1' })).rejects.toMatchObject({
      code: 'nothing-received',
    });
    program.send(alloc(1), alloc(2));
    await until(async () => (await session())?.events === 2);
    const info = await engine.call('allocationsWatch', { session: 's1' });
    expect(info).toMatchObject({ name: 'train.py', growth: { session: 's1', revision: 1, isOver: false } });
    expect(await engine.call('allocationsWatch', { session: 's1' })).toEqual(info);
    // Many questions, whose trace is replaced while they are being answered.
    const asked: Promise<unknown>[] = [];
    for (let number = 3; number < 300; number += 1) {
      program.send(alloc(number));
      asked.push(engine.call('report', { trace: info.trace }));
    }
    await until(async () => (await session())?.trace?.devices[0]?.events === 299);
    await Promise.all(asked);
    expect((await session())?.trace?.growth?.revision).toBeGreaterThan(1);
    expect((await engine.call('list', {})).map(({ trace }) => trace)).toEqual([info.trace]);
    await engine.call('close', { trace: info.trace });
    expect((await session())?.trace).toBeNull();
    const again = await engine.call('allocationsWatch', { session: 's1' });
    expect(again.trace).not.toBe(info.trace);
  });

  it('stop, save under a name of its own, and open again with equal facts', async () => {
    const program = await connect('a/b "c"');
    program.send(alloc(1), alloc(2), { action: 'free', address: 8192, time_us: 5 });
    await until(async () => (await session())?.events === 3);
    const { trace } = await engine.call('allocationsWatch', { session: 's1' });
    await expect(engine.call('allocationsSave', { session: 's1' })).rejects.toMatchObject({
      code: 'recording-active',
    });
    await engine.call('allocationsStop', { session: 's1' });
    expect(await program.answer('stopped')).toMatchObject({ reason: 'stopped' });
    const unsaved = (await session())?.path ?? '';
    expect(statSync(unsaved).mode & 0o777).toBe(0o600);
    await engine.call('allocationsSave', { session: 's1' });
    const saved = await session();
    expect(saved).toMatchObject({ isSaved: true, state: 'ended', end: 'stopped' });
    expect(saved?.path).toMatch(/recordings.allocations [\d -]+ a b c\.jsonl$/);
    expect(readdirSync(join(home, 'recordings', 'unsaved'))).toEqual([]);
    await until(async () => (await session())?.trace?.path === saved?.path);
    const opened = await engine.call('open', { source: { kind: 'path', path: saved?.path ?? '' } });
    const facts = await engine.call('report', { trace: opened.trace });
    expect(await engine.call('report', { trace })).toEqual(facts);
  });

  it('say that a program is away, and that it never came back', async () => {
    const program = await connect();
    program.send(alloc(1));
    await until(async () => (await session())?.events === 1);
    program.socket.destroy();
    await until(async () => (await session())?.state === 'away');
    await engine.call('allocationsStop', { session: 's1' });
    expect(await session()).toMatchObject({ state: 'ended', end: 'lost' });
  });

  it('list what an earlier run left behind, but not what a living one writes', async () => {
    const unsaved = join(home, 'recordings', 'unsaved');
    mkdirSync(unsaved, { recursive: true });
    writeFileSync(join(unsaved, 'allocations x [999999999].jsonl'), '# producer = x\n');
    writeFileSync(join(unsaved, `allocations y [${process.ppid}].jsonl`), '');
    writeFileSync(join(unsaved, 'notes.txt'), '');
    const { left } = await engine.call('allocationsListen', {});
    expect(left).toMatchObject([{ name: 'allocations x [999999999].jsonl', bytes: 15 }]);
  });

  it('discard what an earlier run left, that file alone, when it can not be had back any more', async () => {
    const unsaved = join(home, 'recordings', 'unsaved');
    const [one, other] = ['allocations x [999999999].jsonl', 'allocations y [999999999].jsonl'];
    const foreign = ['notes.txt', `allocations z [${process.ppid}].jsonl`];
    mkdirSync(unsaved, { recursive: true });
    for (const name of [one, other, ...foreign]) writeFileSync(join(unsaved, name), '');
    writeFileSync(join(home, 'allocations x [999999999].jsonl'), '');
    await engine.call('allocationsListen', {});
    const marks = async () =>
      Object.fromEntries(
        (await engine.call('allocations', {})).left.map(({ name, isDiscarded }) => [name, isDiscarded]),
      );
    for (const name of [...foreign, `../../${one}`, 'none']) {
      await expect(engine.call('allocationsDiscard', { name })).rejects.toMatchObject({
        code: 'no-such-recording',
      });
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await engine.call('allocationsDiscard', { name: one });
    await engine.call('allocationsDiscard', { name: other });
    expect(await marks()).toEqual({ [one]: true, [other]: true });
    await engine.call('allocationsRestore', { name: other });
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    expect(await marks()).toEqual({ [other]: false });
    await engine.call('allocationsDiscard', { name: other });
    expect(readdirSync(unsaved).sort()).toEqual([other, ...foreign].sort());
    await engine.finish();
    expect(readdirSync(unsaved).sort()).toEqual([...foreign].sort());
    expect(readdirSync(home)).toContain(one);
  });

  it('have their end when the engine ends', async () => {
    const program = await connect();
    program.send(alloc(1));
    await until(async () => (await session())?.events === 1);
    const { path } = (await session()) as { readonly path: string };
    await engine.finish();
    expect(readFileSync(path, 'utf8')).toMatch(/# ended = closed\n$/);
  });
});

describe('the parts', () => {
  it('make a trace anew twice a second at most, and in a fifth of the time at most', () => {
    expect(nextGrowth(1000, 10)).toBe(1500);
    expect(nextGrowth(1000, 400)).toBe(2600);
  });

  it('know the rate of the last two seconds', () => {
    const meter = new RateMeter();
    expect(meter.perSecond(0)).toBe(0);
    for (let second = 0; second <= 10; second += 0.5) meter.add(1000 * second, 100 * second);
    expect(meter.perSecond(10_000)).toBeCloseTo(100);
    expect(meter.perSecond(20_000)).toBe(0);
  });

  it('name recordings', () => {
    expect(withoutProcess('allocations x [12].jsonl')).toBe('allocations x.jsonl');
    expect(withoutProcess('allocations x [12] 2.jsonl')).toBe('allocations x 2.jsonl');
    expect(withoutProcess('allocations [12] x.jsonl')).toBe('allocations [12] x.jsonl');
    expect(isLeft(`a [${process.pid}].jsonl`)).toBe(false);
    expect(isLeft('a [999999999] 3.jsonl')).toBe(true);
    expect(isLeft('a.jsonl')).toBe(false);
  });
});
