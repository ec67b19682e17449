import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { endpointFor } from '../../../../main/engine/allocations/endpoint.ts';
import { LONGEST_LINE } from '../../../../main/engine/allocations/lines.ts';
import type { ListenerOptions } from '../../../../main/engine/allocations/listener.ts';
import type { Session } from '../../../../main/engine/allocations/session.ts';
import { createEngine } from '../../../../main/engine/index.ts';
import { alloc, startTestListener, type TestListener, until } from './program.ts';

/** main/engine/allocations/PROTOCOL.md, row by row, over real sockets. */

let test: TestListener;
afterEach(() => test.close());

async function start(options: Partial<ListenerOptions> = {}) {
  test = await startTestListener(options);
  return test;
}

const only = (): Session => test.listener.sessions[0] as Session;
const linesOf = (session: Session) =>
  readFileSync(session.path, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{'));

describe('a program that keeps to the protocol', () => {
  it('is accepted, and its lines are the recording, which opens like any capture', async () => {
    const { program } = await start();
    const one = program();
    one.hello({ devices: ['cuda:0'], host: 'node\n7' });
    expect(await one.answer('accepted')).toEqual({ strata: 'accepted', version: 1, received: 0 });
    one.send(alloc(1), { strata: 'heartbeat' }, alloc(2), { action: 'free', address: 8192, time_us: 9 });
    one.send({ strata: 'end' });
    expect(await one.answer('ended')).toEqual({ strata: 'ended', received: 3 });
    await one.closed();
    expect(only().ending).toEqual({ end: 'by-program', problem: null });
    const text = readFileSync(only().path, 'utf8');
    expect(text).toContain('# producer = a test\n# recorded = live\n# process = 7\n# host = node 7\n');
    expect(text).toMatch(/# ended = by-program\n$/);
    expect(statSync(only().path).mode & 0o777).toBe(0o600);
    const engine = createEngine();
    const info = await engine.call('open', { source: { kind: 'path', path: only().path } });
    expect(info).toMatchObject({
      format: 'generic-events',
      producer: 'a test',
      isComplete: true,
      growth: null,
    });
    expect(info.devices[0]).toMatchObject({ events: 3, blocks: 2 });
    const report = await engine.call('report', { trace: info.trace });
    expect(report.warnings.map(({ code }) => code)).toEqual(['no-segments']);
  });

  it('goes on with its session after its connection broke, also in the middle of a line', async () => {
    const { program } = await start();
    const first = program();
    first.hello({ session: 'abcdefgh' });
    first.send(alloc(1), alloc(2));
    first.write('{"action": "alloc", "addr');
    await until(() => only()?.received === 2);
    first.socket.end();
    await until(() => only().holder === null);
    expect(only().cutBytes).toBe(25);
    const second = program();
    second.hello({ session: 'abcdefgh' });
    expect(await second.answer('accepted')).toMatchObject({ received: 2 });
    second.send(alloc(3), { strata: 'end' });
    await second.answer('ended');
    expect(test.listener.sessions).toHaveLength(1);
    expect(linesOf(only())).toHaveLength(3);
    expect(only().growth).toMatchObject({ events: 3, unreadable: 0 });
  });

  it('takes the place of its own old connection', async () => {
    const { program } = await start();
    const first = program();
    first.hello({ session: 'abcdefgh' });
    await first.answer('accepted');
    const second = program();
    second.hello({ session: 'abcdefgh' });
    await second.answer('accepted');
    expect(await first.answer('stopped')).toMatchObject({ reason: 'lost' });
    await first.closed();
    second.send(alloc(1), { strata: 'end' });
    await second.answer('ended');
  });

  it('is one of several, each with a recording of its own', async () => {
    const { program } = await start();
    const programs = [program(), program(), program()];
    for (const [at, one] of programs.entries()) {
      one.hello({ producer: `rank ${at}` });
      one.send(...Array.from({ length: at + 1 }, (_, number) => alloc(number)), { strata: 'end' });
    }
    await Promise.all(programs.map((one) => one.answer('ended')));
    const sessions = test.listener.sessions.toSorted((a, b) => a.received - b.received);
    expect(sessions.map(({ hello }) => hello.producer)).toEqual(['rank 0', 'rank 1', 'rank 2']);
    expect(sessions.map((session) => linesOf(session).length)).toEqual([1, 2, 3]);
  });

  it('tells what it had to drop, which is counted', async () => {
    const { program } = await start();
    const one = program();
    one.hello();
    one.send(alloc(1), { action: 'gap', dropped: 1234 }, { action: 'gap' }, { strata: 'end' });
    await one.answer('ended');
    expect(only().growth).toMatchObject({ events: 1, dropped: 1234, gaps: 2 });
  });

  it('waits while the recording cannot take more, and loses nothing', async () => {
    const { program } = await start();
    const one = program();
    one.hello();
    await one.answer('accepted');
    const line = `${JSON.stringify({ ...alloc(1), label: 'x'.repeat(1000) })}\n`;
    const count = 20_000;
    for (let sent = 0; sent < count; sent += 1000) one.write(line.repeat(1000));
    one.send({ strata: 'end' });
    expect(await one.answer('ended')).toMatchObject({ received: count });
    expect(only().growth.events).toBe(count);
  });
});

describe('a program that does not', () => {
  const refusal = async (line: string, options: Partial<ListenerOptions> = {}) => {
    const { program } = await start(options);
    const one = program();
    one.write(line);
    const answer = await one.answer('refused');
    await one.closed();
    expect(test.listener.sessions).toEqual([]);
    expect(test.listener.refused).toMatchObject({ count: 1, last: { code: answer['code'] } });
    return answer;
  };

  it.each([
    ['{"strata": "allocations", "version": 2}\n', 'version-unknown', 'version 2'],
    ['{"strata": "allocations", "version": 0}\n', 'version-unknown', 'version 0'],
    ['{"strata": "allocations", "version": "1"}\n', 'hello-unreadable', '"version"'],
    ['{"strata": "allocations", "version": 1, "pid": -1}\n', 'hello-unreadable', '"pid"'],
    ['{"strata": "allocations", "version": 1, "session": "../.."}\n', 'hello-unreadable', '"session"'],
    ['{"strata": "something", "version": 1}\n', 'hello-unreadable', '"strata"'],
    ['{"action": "alloc"}\n', 'not-a-hello', 'first line'],
    ['GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', 'not-a-hello', 'first line'],
    ['\n', 'not-a-hello', 'first line'],
  ])('is refused for %j', async (line, code, words) => {
    const answer = await refusal(line);
    expect(answer).toMatchObject({ code });
    expect(answer['message']).toContain(words);
  });

  it('is refused when it says nothing, or half a hello', async () => {
    expect(await refusal('', { helloMs: 20 })).toMatchObject({ code: 'no-hello' });
    await test.close();
    expect(await refusal('{"strata": "alloc', { helloMs: 20 })).toMatchObject({ code: 'no-hello' });
  });

  it('is refused without the token of a port, and taken with it', async () => {
    const { program, listener } = await start({ endpoint: { port: 0 } });
    expect(listener.address).toMatch(/^tcp:127\.0\.0\.1:\d+:[\w-]{43}$/);
    const wrong = program();
    wrong.hello({ token: 'x' });
    expect(await wrong.answer('refused')).toMatchObject({ code: 'token-wrong' });
    const right = program();
    right.hello({ token: listener.address.split(':')[3] });
    await right.answer('accepted');
  });

  it('has lines that are no events kept, counted, and told of with their place', async () => {
    const { program } = await start();
    const one = program();
    one.hello();
    await one.answer('accepted');
    one.write('{"action": "alloc", "address": 4096, "bytes": 512}\nnot json\n{"action": "alloc"}\n');
    one.send(alloc(3), { strata: 'end' });
    await one.answer('ended');
    const told = await one.answer('unreadable');
    const recording = readFileSync(only().path, 'utf8').split('\n');
    expect(recording[(told['line'] as number) - 1]).toBe('not json');
    expect(
      readFileSync(only().path)
        .subarray(told['byte'] as number)
        .toString(),
    ).toMatch(/^not json\n/);
    expect(only().growth).toMatchObject({ events: 2, unreadable: 2 });
    expect(one.answers.filter(({ strata }) => strata === 'unreadable')).toHaveLength(1);
  });

  it('is stopped at a line that is too long, and what came before is kept', async () => {
    const { program } = await start();
    const one = program();
    one.hello();
    one.send(alloc(1), alloc(2));
    one.write('x'.repeat(LONGEST_LINE + 10));
    const stopped = await one.answer('stopped');
    expect(stopped).toMatchObject({ reason: 'refused' });
    expect(stopped['message']).toMatch(/^Line 4 of the connection \(byte \d+\)/);
    expect(only().ending?.problem).toMatchObject({ code: 'line-too-long', position: { line: 4 } });
    expect(linesOf(only())).toHaveLength(2);
  });

  it('is refused a hello that is too long', async () => {
    expect(await refusal('{'.repeat(LONGEST_LINE + 1))).toMatchObject({ code: 'line-too-long' });
  });

  it('is stopped at a control line that there is none of', async () => {
    const { program } = await start();
    const one = program();
    one.hello();
    one.send(alloc(1), { strata: 'allocations', version: 1 });
    await one.answer('stopped');
    expect(only().ending).toMatchObject({ end: 'refused', problem: { code: 'control-unknown' } });
    expect(only().ending?.problem?.position).toEqual({ line: 3 });
  });

  it('is stopped when the recording is full, whose lines are all whole', async () => {
    const { program } = await start({ limitBytes: 2000 });
    const one = program();
    one.hello();
    for (let number = 0; number < 100; number += 1) one.send(alloc(number));
    expect(await one.answer('stopped')).toMatchObject({ reason: 'limit' });
    await one.closed();
    expect(readFileSync(only().path, 'utf8')).toMatch(
      /\n# ended = limit: The recording \S+ has reached its limit of 2 KiB\.\n$/,
    );
    expect(statSync(only().path).size).toBeLessThan(2500);
  });

  it('is refused in whole sentences when its recording cannot be begun', async () => {
    const { program, folder } = await start({ pathFor: () => join(folder, 'missing', '1.jsonl') });
    const one = program();
    one.hello();
    const { code, message } = await one.answer('refused');
    expect(code).toBe('recording-failed');
    expect(message).toMatch(/1\.jsonl cannot be written: no such file or directory\. Make room/);
  });

  it('is stopped by the user, or with Strata', async () => {
    const { program, listener } = await start();
    const one = program();
    one.hello();
    await one.answer('accepted');
    const two = program();
    two.hello();
    await two.answer('accepted');
    await only().end({ end: 'stopped', problem: null });
    expect(await one.answer('stopped')).toMatchObject({ reason: 'stopped' });
    await listener.close();
    expect(await two.answer('stopped')).toMatchObject({ reason: 'closed' });
  });
});

describe('the socket', () => {
  it('is for this user alone, takes the place of a stale one, and never that of a living one', async () => {
    const { folder } = await start();
    const path = join(folder, 's');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(endpointFor({ socket: path })).rejects.toMatchObject({ code: 'already-listening' });
    writeFileSync(join(folder, 'file'), '');
    await expect(endpointFor({ socket: join(folder, 'file') })).rejects.toMatchObject({
      code: 'socket-folder',
    });
    await expect(endpointFor({ socket: `/${'x'.repeat(200)}` })).rejects.toMatchObject({
      code: 'socket-too-long',
    });
    const usual = join(folder, 'runtime');
    process.env['STRATA_RUNTIME_DIR'] = usual;
    const endpoint = await endpointFor(null);
    delete process.env['STRATA_RUNTIME_DIR'];
    expect(statSync(usual).mode & 0o777).toBe(0o700);
    const server = createServer().listen(endpoint.listen);
    await new Promise((resolve) => server.once('listening', resolve));
    await new Promise((resolve) => server.close(resolve));
    await endpointFor({ socket: join(usual, 'allocations.sock') });
  });
});
