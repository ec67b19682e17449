import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../engine/archives.ts';
import { strata } from './run-strata.ts';

const folder = temporaryFolder();
const vectors = fileURLToPath(new URL('../../golden/vectors', import.meta.url));
const traceOf = (name: string) => join(vectors, 'traces', `${name}.trace.gz`);
const unpacked = (file: string) => gunzipSync(readFileSync(file)).toString();

describe('strata replay', () => {
  it('reproduces the golden vectors, taking a whole golden file for its configuration', async () => {
    const files = readdirSync(vectors).filter((file) => file.startsWith('mini-edges-'));
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      const golden = join(vectors, file);
      const { code, out, err } = await strata('replay', traceOf('mini-edges'), '--config', golden);
      expect({ code, err, isSame: out === unpacked(golden) }).toEqual({ code: 0, err: '', isSame: true });
    }
  });

  it('takes a plain trace and a single line, and writes to a file', async () => {
    const golden = unpacked(join(vectors, 'training-pt.jsonl.gz'));
    const trace = folder.write('plain.trace', unpacked(traceOf('training')));
    const line = folder.write('line.json', golden.split('\n', 1)[0] ?? '');
    const target = folder.write('out.jsonl', '');
    const { code, out } = await strata('replay', trace, '--config', line, '--out', target);
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(readFileSync(target, 'utf8')).toBe(golden);
  });

  it('names the trace it replayed when the configuration was made for another', async () => {
    const trace = folder.write('other.trace', 'a 1 100\n');
    const golden = join(vectors, 'mini-edges-pt-tight.jsonl.gz');
    const { code, out, err } = await strata('replay', trace, '--config', golden);
    expect(code).toBe(0);
    expect(out.split('\n')[0]).toContain('"trace":"other.trace"');
    expect(err).toContain('(replay-other-trace)');
  });

  it('warns of a free of what was never allocated, goes on, and says so in the exit code', async () => {
    const trace = folder.write('bad.trace', 'f 7\na 1 100\n');
    const config = folder.write('bfc.json', '{"allocator":"bfc","limit":1024}');
    const { code, out, err } = await strata('replay', trace, '--config', config);
    expect(code).toBe(2);
    expect(err).toBe(
      'strata: Operation 0 frees id 7, which is not alive; it is ignored. (replay-free-unknown)\n',
    );
    expect(out).toContain('{"i":1,"id":1,"req":100,"off":0,"size":256');
  });

  it('keeps sizes above 2^53 as they are written', async () => {
    const trace = folder.write('one.trace', 'a 1 100\n');
    const config = folder.write(
      'wide.json',
      '{"allocator":"bfc","limit":9223372036854775807,"trace":"x","trace_sha256":"y"}',
    );
    const { out } = await strata('replay', trace, '--config', config);
    expect(out).toContain('"limit":9223372036854775807,"trace":"one.trace"');
  });

  it('refuses a setting it does not know, and a file that is not there', async () => {
    const config = folder.write('unknown.json', '{"allocator":"bfc","limit":1024,"speed":3}');
    const unknown = await strata('replay', traceOf('mini-edges'), '--config', config);
    expect(unknown.code).toBe(1);
    expect(unknown.err).toContain('has no setting called "speed"');
    const missing = await strata('replay', join(vectors, 'nowhere.trace'), '--config', config);
    expect(missing.code).toBe(1);
    expect(missing.err).toContain('(replay-cannot-read)');
  });
});
