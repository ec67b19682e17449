import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../main/cli/program.ts';
import { serve } from '../../../main/serve/index.ts';
import { alloc, Program } from '../engine/allocations/program.ts';
import { temporaryFolder } from '../engine/archives.ts';

const folder = temporaryFolder();
const home = dirname(folder.write('empty', ''));
let count = 0;

afterEach(() => {
  delete process.env['STRATA_RECORDINGS'];
});

/** `strata listen` in this process, until it has ended. */
function listen(args: readonly string[]) {
  const socket = join(home, `s${++count}`);
  let out = '';
  let err = '';
  let listening = () => {};
  const ready = new Promise<void>((resolve) => {
    listening = resolve;
  });
  const look = () => {
    if (/istening/.test(out + err)) listening();
  };
  const terminal = {
    write: async (text: string) => {
      out += text;
      look();
    },
    writeError: (text: string) => {
      err += text;
      look();
    },
    isWatched: false,
  };
  const controller = new AbortController();
  const place = args.includes('--tcp') ? [] : ['--socket', socket];
  const code = runCommandLine(['listen', ...place, ...args], terminal, controller.signal, serve);
  return {
    ready,
    socket,
    stop: () => controller.abort(),
    ended: async () => ({ code: await code, out, err }),
    address: () => /(?:unix|tcp):[^\s"]+?(?=\.? |"|\n)/.exec(out + err)?.[0] ?? '',
  };
}

describe('strata listen', () => {
  it('records one program and says how it went', async () => {
    const out = join(home, 'one.jsonl');
    const listening = listen(['--out', out, '--once']);
    await listening.ready;
    const program = new Program(`unix:${listening.socket}`);
    program.hello({ producer: 'train.py' });
    program.send(alloc(1), alloc(2), { strata: 'end' });
    await program.answer('ended');
    const { code, out: output, err } = await listening.ended();
    expect({ code, output }).toEqual({ code: 0, output: '' });
    expect(err).toContain(`Listening at unix:${listening.socket}.`);
    expect(err).toContain(`train.py is connected; recording to ${out}`);
    expect(err).toContain(`train.py: complete. 2 events, `);
    expect(readFileSync(out, 'utf8')).toMatch(/"bytes":512\}\n# ended = by-program\n$/);
  });

  it('tells a program what happens as lines of JSON, and by its exit code that something is missing', async () => {
    process.env['STRATA_RECORDINGS'] = join(home, 'recordings');
    const listening = listen(['--json', '--once']);
    await listening.ready;
    const wrong = new Program(`unix:${listening.socket}`);
    wrong.hello({ version: 3 });
    await wrong.answer('refused');
    const program = new Program(`unix:${listening.socket}`);
    program.hello({ producer: 'a/b: c' });
    program.send(alloc(1), { action: 'gap', dropped: 5 });
    program.write('nonsense\n');
    program.send({ strata: 'end' });
    await program.answer('ended');
    const { code, out } = await listening.ended();
    expect(code).toBe(2);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.every(({ schema }) => schema === 'strata.listen/1')).toBe(true);
    expect(lines[0]).toMatchObject({ event: 'listening', address: `unix:${listening.socket}` });
    expect(lines.find(({ event }) => event === 'refused')).toMatchObject({
      count: 1,
      last: { code: 'version-unknown' },
    });
    expect(lines.at(-1)).toMatchObject({
      event: 'ended',
      producer: 'a/b: c',
      state: 'ended',
      end: 'by-program',
      events: 1,
      dropped: 5,
      gaps: 1,
      unreadable: { count: 1, line: 8 },
    });
    expect(readdirSync(join(home, 'recordings'))).toEqual([
      expect.stringMatching(/^allocations \d{4}-\d\d-\d\d \d\d-\d\d-\d\d a b c\.jsonl$/),
    ]);
  });

  it('says in a line each what is missing, and counts it in words that fit', async () => {
    const out = join(home, 'missing.jsonl');
    const listening = listen(['--out', out]);
    await listening.ready;
    const program = new Program(`unix:${listening.socket}`);
    program.hello({ producer: 'a\nb' });
    program.send(alloc(1), { action: 'gap', dropped: 1 });
    program.write('nonsense\n{"action": "fr');
    await program.answer('unreadable');
    program.socket.end();
    await program.closed();
    listening.stop();
    const { code, err } = await listening.ended();
    expect(code).toBe(2);
    const [head, ...rest] = err.slice(err.indexOf('a\\u000ab: gone')).trim().split('\n');
    expect(head).toMatch(/^a\\u000ab: gone without saying so\. 1 event, \d+ B, in /);
    expect(rest).toEqual([
      '  1 event is missing, as the program says.',
      '  14 B of a line that broke off are left out.',
      '  1 line is no event: line 8 of the recording.',
    ]);
  });

  it('ends every session at Ctrl-C, on a port too', async () => {
    const out = join(home, 'port.jsonl');
    const listening = listen(['--tcp', '0', '--out', out]);
    await listening.ready;
    const address = listening.address();
    const program = new Program(address);
    program.hello({ token: address.split(':')[3] });
    program.send(alloc(1));
    const answered = program.answer('stopped');
    await program.answer('accepted');
    listening.stop();
    expect(await answered).toMatchObject({ reason: 'closed' });
    expect((await listening.ended()).code).toBe(0);
    expect(readFileSync(out, 'utf8')).toMatch(/# ended = closed\n$/);
  });

  it('fails at once where no recording could be made, before any program can connect', async () => {
    const missing = join(home, 'not', 'there', 'one.jsonl');
    const nowhere = await listen(['--out', missing]).ended();
    expect(nowhere).toMatchObject({ code: 1, out: '' });
    expect(nowhere.err).toContain(
      `There is no folder ${dirname(missing)}, so no recording can be made in it.`,
    );
    expect(nowhere.err).not.toContain('Listening');
    expect(existsSync(join(home, 'not'))).toBe(false);
    const onFolder = await listen(['--out', home]).ended();
    expect(onFolder.code).toBe(1);
    expect(onFolder.err).toContain(`Name a file in it: ${join(home, 'allocations.jsonl')}`);
    process.env['STRATA_RECORDINGS'] = join(folder.write('file', 'x'), 'recordings');
    const inFile = await listen([]).ended();
    expect(inFile.code).toBe(1);
    expect(inFile.err).toContain('STRATA_RECORDINGS');
  });

  it('counts blocks that were there before apart from events', async () => {
    const out = join(home, 'held.jsonl');
    const listening = listen(['--out', out, '--once']);
    await listening.ready;
    const program = new Program(`unix:${listening.socket}`);
    program.hello({ producer: 'train.py' });
    const held = { action: 'held', address: 0x9000, bytes: 512 };
    program.send(held, { ...held, address: 0xa000 }, alloc(1), { strata: 'end' });
    await program.answer('ended');
    expect((await listening.ended()).err).toContain('train.py: complete. 1 event, 2 blocks from before, ');
  });

  it('refuses two places at once', async () => {
    const listening = listen(['--tcp', '0', '--socket', join(home, 'x')]);
    expect((await listening.ended()).code).toBe(1);
  });

  const python = ['python3', 'python'].find((name) => spawnSync(name, ['--version']).status === 0);
  it.skipIf(python === undefined || process.platform === 'win32')(
    'keeps every event that the Python client sends',
    async () => {
      const out = join(home, 'python.jsonl');
      const listening = listen(['--out', out, '--once']);
      await listening.ready;
      const code = `
import sys
from strata_live import Client
with Client("python", sys.argv[1]) as client:
    for number in range(5000):
        client.alloc(4096 * (number + 1), 512, time_ns=number + 1)
`;
      spawn(python as string, ['-c', code, `unix:${listening.socket}`], {
        env: { ...process.env, PYTHONPATH: join(import.meta.dirname, '../../../app/python') },
      });
      const { code: exit } = await listening.ended();
      expect(exit).toBe(0);
      const rows = readFileSync(out, 'utf8').match(/"action":"alloc"/g);
      expect(rows).toHaveLength(5000);
    },
  );
});
