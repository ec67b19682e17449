import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../../app/contract/report.ts';
import { createEngine } from '../../../main/engine/index.ts';
import { zipOf, zstdOf } from '../engine/archives.ts';
import { memoryProfile } from './profiles.ts';
import { strata } from './run-strata.ts';

const maker = fileURLToPath(new URL('../../fixtures/nsight_exports.py', import.meta.url));
/** Stands in every table of the made exports that nobody may read. */
const SECRET = 'hunter2-do-not-tell';
const folder = mkdtempSync(join(tmpdir(), 'strata-nsight-'));
const made = (name: string) => join(folder, name);

beforeAll(() => {
  execFileSync('python3', [maker, folder]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function reportOf(path: string): Promise<Report> {
  const { out, err } = await strata('report', '--json', path);
  expect(out, err).not.toBe('');
  return JSON.parse(out) as Report;
}

describe('an export of Nsight Systems', () => {
  it('is reported with its devices, facts and callers', async () => {
    const report = await reportOf(made('nsight-modern.sqlite'));
    expect(report).toMatchObject({
      format: 'nsight-export',
      producer: 'Nsight Systems 2026.1.1.204',
      complete: true,
      origin: '2026-04-21T14:20:26.557Z',
      settings: { device_0: 'NVIDIA H200', device_0_total_memory: '161061273600' },
    });
    expect(report.devices).toMatchObject([
      { kind: 'cuda', layout: 'blocks', events: 6, final: { allocated: 2101248 } },
      { kind: 'cuda', allocator: 'managed memory', events: 1, final: { allocated: 3145728 } },
      { kind: 'cuda', allocator: 'imported pools', events: 1, final: { allocated: 5242880 } },
      { kind: 'host', allocator: 'pinned memory', events: 1, final: { allocated: 512 } },
    ]);
    expect(report.devices[0]?.top_at_peak[0]?.site).toBe('train');
    const { out } = await strata('report', made('nsight-modern.sqlite'));
    expect(out).toContain('device 0 cuda   managed memory   1 event');
  });

  it('never tells what the environment, command lines and outputs in it say', async () => {
    expect(readFileSync(made('nsight-modern.sqlite')).includes(SECRET)).toBe(true);
    for (const args of [['report'], ['report', '--json']]) {
      const { out, err } = await strata(...args, made('nsight-modern.sqlite'));
      expect(out).toContain('Nsight Systems');
      expect(out + err).not.toContain(SECRET);
    }
    for (const name of ['nsight-without-memory.sqlite', 'database-contacts.sqlite']) {
      const { out, err } = await strata('report', made(name));
      expect(out + err).not.toContain(SECRET);
    }
  });

  it('opens when it is packed, whatever its name is', async () => {
    const bytes = readFileSync(made('nsight-modern.sqlite'));
    const packed = {
      'report.txt': gzipSync(bytes),
      'report.zip': zipOf({ 'notes.json': '{}', 'report.sqlite': bytes }),
      'report.zst': zstdOf(bytes),
    };
    for (const [name, content] of Object.entries(packed)) {
      writeFileSync(made(name), content);
      expect(await reportOf(made(name))).toMatchObject({ format: 'nsight-export', complete: true });
    }
  });

  it('is read in a folder that nobody may write to, and leaves nothing beside it', async () => {
    const sealed = made('sealed');
    mkdirSync(sealed);
    const path = join(sealed, 'report.sqlite');
    writeFileSync(path, readFileSync(made('nsight-modern.sqlite')));
    chmodSync(path, 0o400);
    chmodSync(sealed, 0o500);
    try {
      expect(await reportOf(path)).toMatchObject({ complete: true });
      expect(readdirSync(sealed)).toEqual(['report.sqlite']);
    } finally {
      chmodSync(sealed, 0o700);
    }
  });

  it('shows what is left when it is cut off, and says how much is missing', async () => {
    const { code, out } = await strata('report', '--json', made('nsight-cut-off.sqlite'));
    expect(code).toBe(2);
    const { complete, warnings } = JSON.parse(out) as Report;
    expect(complete).toBe(false);
    expect(warnings.slice(0, 2)).toMatchObject([
      { code: 'capture-truncated', damage: true },
      { code: 'capture-damaged', damage: true },
    ]);
  });

  it('is not complete when some of its rows cannot be read', async () => {
    const { code, out } = await strata('report', '--json', made('nsight-unreadable-rows.sqlite'));
    const { complete, warnings } = JSON.parse(out) as Report;
    expect(code).toBe(2);
    expect(complete).toBe(false);
    expect(warnings).toContainEqual(expect.objectContaining({ code: 'row-unreadable', damage: true }));
  });

  it('is told from other databases, with the commands that record one', async () => {
    const { code, err } = await strata('report', made('nsight-without-memory.sqlite'));
    expect(code).not.toBe(0);
    expect(err).toContain('was recorded without memory events');
    expect(err).toContain('--cuda-memory-usage=true');
    const other = await strata('report', made('database-rocm.sqlite'));
    expect(other.err).toContain("a trace of ROCm's profiler");
    expect(other.err).toContain('strata sample --out FILE');
    expect(other.err).not.toContain('nsys profile');
  });

  it('tells pools from other memory itself, which sizes cannot', async () => {
    const engine = createEngine();
    const by = async (path: string) => {
      const { devices } = await engine.call('open', { source: { kind: 'path', path } });
      return devices.map((device) => device.regionsBy);
    };
    expect(await by(made('nsight-modern.sqlite'))).toEqual(Array(4).fill('capture'));
    expect(await by(made('nsight-no-addresses.sqlite'))).toEqual(['size']);
    writeFileSync(made('sites.prof'), memoryProfile([{ stack: ['step'], bytes: 512, buffers: 1 }]));
    expect(await by(made('sites.prof'))).toEqual(['nothing']);
  });

  it('is asked for when its report was opened instead', async () => {
    writeFileSync(
      made('profile.nsys-rep'),
      Uint8Array.from({ length: 4000 }, (_, at) => (at * 37) % 256),
    );
    const engine = createEngine();
    const source = { kind: 'path', path: made('profile.nsys-rep') } as const;
    await expect(engine.call('open', { source })).rejects.toMatchObject({
      code: 'nsight-report',
      remedy: expect.stringContaining('nsys export --type=sqlite'),
    });
  });
});
