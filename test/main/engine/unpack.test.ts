import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { constants, deflateRawSync, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { unpack } from '../../../main/engine/unpack/unpack.ts';
import { FrameCutter, type FramePiece } from '../../../main/engine/unpack/zstd-frames.ts';
import { temporaryFolder, zipOf, zstdOf } from './archives.ts';

const folder = temporaryFolder();
/** Begins as a pickle does; long and uneven, so that it is packed in several chunks. */
const content = Buffer.from(
  Uint8Array.from({ length: 3_000_000 }, (_, at) => (at === 0 ? 0x80 : at === 1 ? 4 : (at * at * 31) >> 7)),
);

async function unpacked(path: string) {
  const result = await unpack(path);
  const bytes = readFileSync(result.path);
  result.remove();
  return { ...result, bytes };
}

describe('unpacking', () => {
  it('leaves a file that is not packed where it is', async () => {
    const path = folder.write('plain.pickle', content);
    const result = await unpack(path);
    expect(result).toMatchObject({ path, packedBytes: content.length, warnings: [] });
    result.remove();
    expect(existsSync(path)).toBe(true);
  });

  it('takes gzip off, recognised by content, and removes what it wrote', async () => {
    const path = folder.write('named-anything.txt', gzipSync(content));
    const result = await unpack(path);
    expect(readFileSync(result.path).equals(content)).toBe(true);
    result.remove();
    expect(existsSync(result.path)).toBe(false);
  });

  it('reads all members of a gzip file', async () => {
    const halves = [content.subarray(0, 1000), content.subarray(1000)].map((half) => gzipSync(half));
    const { bytes, warnings } = await unpacked(folder.write('members.gz', Buffer.concat(halves)));
    expect(bytes.equals(content)).toBe(true);
    expect(warnings).toEqual([]);
  });

  it('reports progress in bytes of the packed file', async () => {
    const packed = gzipSync(content);
    const steps: [number, number][] = [];
    const onProgress = (done: number, total: number) => steps.push([done, total]);
    (await unpack(folder.write('progress.gz', packed), { onProgress })).remove();
    expect(steps.length).toBeGreaterThan(1);
    expect(steps.at(-1)).toEqual([packed.length, packed.length]);
  });

  it('keeps everything before the place where a gzip file is cut off', async () => {
    const packed = gzipSync(content);
    const cut = Math.floor(packed.length * 0.6);
    const { bytes, warnings } = await unpacked(folder.write('cut.gz', packed.subarray(0, cut)));
    expect(bytes.length).toBeGreaterThan(500_000);
    expect(bytes.equals(content.subarray(0, bytes.length))).toBe(true);
    expect(warnings).toMatchObject([{ code: 'gzip-truncated', damage: true, position: { byte: cut } }]);
  });

  it('keeps everything before a damaged place in a gzip file', async () => {
    const packed = gzipSync(content);
    packed.fill(0xff, packed.length >> 1, (packed.length >> 1) + 64);
    const { bytes, warnings } = await unpacked(folder.write('damaged.gz', packed));
    expect(bytes.length).toBeGreaterThan(100_000);
    expect(bytes.subarray(0, 100_000).equals(content.subarray(0, 100_000))).toBe(true);
    // Where the data are stored as they are, only the checksum tells.
    expect(warnings).toMatchObject([{ code: 'gzip-checksum', damage: true }]);
  });

  it('keeps everything up to the damage, to a few bytes', async () => {
    const text = Buffer.from(Array.from({ length: 60_000 }, (_, at) => `${at},alloc,${at * at}\n`).join(''));
    const packed = gzipSync(text);
    const at = packed.length >> 1;
    packed.fill(0xff, at, at + 64);
    const { bytes, warnings } = await unpacked(folder.write('crumbs.gz', packed));
    const same = bytes.findIndex((byte, place) => byte !== text[place]);
    const before = gunzipSync(packed.subarray(0, at), { finishFlush: constants.Z_SYNC_FLUSH });
    expect(same < 0 ? bytes.length : same).toBeGreaterThanOrEqual(before.length - 200);
    const near = expect.closeTo(at, -3.5) as number;
    expect(warnings).toMatchObject([{ code: 'gzip-damaged', damage: true, position: { byte: near } }]);
  });

  it('tells when the checksum of a gzip file does not match, and keeps all of it', async () => {
    const packed = gzipSync(content);
    packed.writeUInt32LE(0, packed.length - 8);
    const { bytes, warnings } = await unpacked(folder.write('checksum.gz', packed));
    expect(bytes.equals(content)).toBe(true);
    const position = { byte: packed.length - 8 };
    expect(warnings).toMatchObject([{ code: 'gzip-checksum', damage: true, position }]);
  });

  it.each([
    ['text', Buffer.from('this is not gzip'), 'follow 16 bytes that do not'],
    ['what begins as gzip does', Buffer.from([0x1f, 0x8b, 9, 0]), 'follow 4 bytes that do not'],
    ['one letter', Buffer.from('x'), 'follows 1 byte that does not'],
  ])('keeps all of a gzip file with %s behind it, and tells', async (_what, garbage, told) => {
    const head = gzipSync(content.subarray(0, 1000));
    const packed = Buffer.concat([head, gzipSync(content.subarray(1000)), garbage]);
    const { bytes, warnings } = await unpacked(folder.write('garbage.gz', packed));
    expect(bytes.equals(content)).toBe(true);
    const position = { byte: packed.length - garbage.length };
    const message = expect.stringContaining(told);
    expect(warnings).toMatchObject([{ code: 'gzip-trailing-data', message, damage: false, position }]);
  });

  it('takes zeros behind a gzip file for padding', async () => {
    const packed = Buffer.concat([gzipSync(content), Buffer.alloc(512)]);
    const { bytes, warnings } = await unpacked(folder.write('padded.gz', packed));
    expect(bytes.equals(content)).toBe(true);
    expect(warnings).toEqual([]);
  });

  it('refuses a gzip file that yields nothing', async () => {
    const path = folder.write('stub.gz', gzipSync(content).subarray(0, 12));
    await expect(unpack(path)).rejects.toMatchObject({ code: 'gzip-damaged' });
  });

  it('refuses a decompression bomb early and leaves nothing behind', async () => {
    const bomb = gzipSync(Buffer.alloc(300_000_000), { level: 9 });
    const path = folder.write('bomb.gz', bomb);
    await expect(unpack(path)).rejects.toMatchObject({ code: 'archive-bomb' });
  });

  it('refuses a bomb inside a zip archive by the size it states', async () => {
    const zeros = Buffer.alloc(300_000_000);
    const path = folder.write('bomb.zip', zipOf({ 'a.pickle': zeros }));
    await expect(unpack(path)).rejects.toMatchObject({ code: 'archive-bomb' });
  });

  it('stops when it is cancelled', async () => {
    const controller = new AbortController();
    const path = folder.write('cancelled.gz', gzipSync(content));
    const call = unpack(path, { signal: controller.signal, onProgress: () => controller.abort() });
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('takes a gzip file out of a zip archive', async () => {
    const { bytes } = await unpacked(folder.write('both.zip', zipOf({ 'a.pickle.gz': gzipSync(content) })));
    expect(bytes.equals(content)).toBe(true);
  });

  it('refuses what is packed three times', async () => {
    const path = folder.write('thrice.gz', gzipSync(gzipSync(gzipSync(content))));
    await expect(unpack(path)).rejects.toMatchObject({ code: 'archive-nested' });
  });

  it('finds the one capture among other files of a zip archive and says which', async () => {
    const files = { 'run/': '', 'run/notes.txt': 'hello', 'run/a.pickle': content, '__MACOSX/run/._a': 'x' };
    const { bytes, warnings } = await unpacked(folder.write('one.zip', zipOf(files)));
    expect(bytes.equals(content)).toBe(true);
    expect(warnings).toMatchObject([{ code: 'zip-chosen', damage: false }]);
  });

  it('prefers a pickle to the JSON beside it', async () => {
    const files = { 'config.json': '{"a": 1}', 'snapshot.pkl': content };
    const { bytes } = await unpacked(folder.write('mixed.zip', zipOf(files)));
    expect(bytes.equals(content)).toBe(true);
  });

  it('names the captures when a zip archive holds several', async () => {
    const path = folder.write('ranks.zip', zipOf({ 'rank0.pickle': content, 'rank1.pickle': content }));
    await expect(unpack(path)).rejects.toMatchObject({
      code: 'zip-several-captures',
      message: expect.stringContaining('rank0.pickle, rank1.pickle') as string,
    });
  });

  const csv = 'time,action,address,bytes\n1,alloc,0x1000,512\n2,free,0x1000,512\n';
  const rmm = 'Thread,Time,Action,Pointer,Size,Stream\n7,10:00:00.000001,allocate,0x1000,512,0\n';
  const dump =
    'W bfc_allocator.cc:491] Allocator (GPU_0_bfc) ran out of memory trying to allocate 512B\n' +
    'Next region of size 512\nInUse at 1000 of size 512 next 1\n';
  const profile = '{"schemaVersion": 1, "traceEvents": [{"ph": "i", "name": "[memory]"}]}';
  it.each([
    ['a table of events', 'events.csv', csv],
    ['a log of RMM', 'rmm.txt', rmm],
    ['a log with a dump', 'train.log', dump],
    ['a log whose dump comes late', 'train.log', `${'step 1: loss 0.5\n'.repeat(100_000)}${dump}`],
    ['a profile', 'trace.json', profile],
    ['a packed profile', 'trace.json.gz', gzipSync(profile)],
    ['a database', 'report.sqlite', `SQLite format 3\0${'\0'.repeat(100)}`],
  ])('finds %s beside other files of a zip archive', async (_what, name, capture) => {
    const files = { 'notes.txt': 'hello', 'config.json': '{"a": 1}', [name]: capture, 'a.png': '\x89PNG' };
    const { bytes, warnings } = await unpacked(folder.write(`${name}.zip`, zipOf(files)));
    expect(bytes.equals(Buffer.from(name.endsWith('.gz') ? profile : capture))).toBe(true);
    expect(warnings).toMatchObject([
      { code: 'zip-chosen', message: expect.stringContaining(`Opened ${name}`) as string },
    ]);
  });

  it('names the captures when a zip archive holds several of different kinds', async () => {
    const path = folder.write(
      'kinds.zip',
      zipOf({ 'events.csv': csv, 'train.log': dump, 'a.pickle': content }),
    );
    await expect(unpack(path)).rejects.toMatchObject({
      code: 'zip-several-captures',
      message: 'This archive holds 3 captures: events.csv, train.log, a.pickle.',
    });
  });

  it('marks the pickle of a torch.save archive', async () => {
    const files = { 'model/data.pkl': content, 'model/version': '3\n', 'model/data/0': 'weights' };
    const { bytes, isCheckpoint } = await unpacked(folder.write('model.pt', zipOf(files)));
    expect(isCheckpoint).toBe(true);
    expect(bytes.equals(content)).toBe(true);
  });

  it.each([
    ['without a capture', zipOf({ 'a.txt': 'hello', 'b.txt': 'world' }), 'zip-no-capture'],
    ['without any file', zipOf({}), 'zip-no-capture'],
  ])('refuses a zip archive %s', async (name, bytes, code) => {
    await expect(unpack(folder.write(`${name}.zip`, bytes))).rejects.toMatchObject({ code });
  });

  it('keeps what a damaged zip archive yields, and tells', async () => {
    const archive = zipOf({ 'a.pickle': content });
    const packed = deflateRawSync(content);
    archive.fill(0xff, 38 + (packed.length >> 1), 38 + (packed.length >> 1) + 64);
    const { bytes, warnings } = await unpacked(folder.write('damaged.zip', archive));
    expect(bytes.subarray(0, 100_000).equals(content.subarray(0, 100_000))).toBe(true);
    expect(warnings).toMatchObject([{ damage: true }]);
  });

  it('tells when the checksum of a zip archive does not match', async () => {
    const archive = zipOf({ 'a.pickle': content });
    archive.writeUInt32LE(1, archive.lastIndexOf('PK\x01\x02') + 16);
    const { warnings } = await unpacked(folder.write('checksum.zip', archive));
    expect(warnings).toMatchObject([{ code: 'zip-checksum', damage: true }]);
  });

  it('keeps what a cut-off zip archive yields, and tells', async () => {
    const packed = zipOf({ 'notes.txt': 'hello', 'run.pickle': content });
    const cut = Math.floor(packed.length * 0.6);
    const { bytes, warnings } = await unpacked(folder.write('cut.zip', packed.subarray(0, cut)));
    expect(bytes.length).toBeGreaterThan(500_000);
    expect(bytes.equals(content.subarray(0, bytes.length))).toBe(true);
    expect(warnings).toMatchObject([{ code: 'zip-truncated', damage: true, position: { byte: cut } }]);
  });

  it('refuses a zip archive that is cut off before its first capture', async () => {
    const packed = zipOf({ 'notes.txt': 'hello', 'run.pickle': content });
    await expect(unpack(folder.write('short.zip', packed.subarray(0, 60)))).rejects.toMatchObject({
      code: 'zip-damaged',
      position: { byte: 60 },
    });
  });

  it('takes zstd off, recognised by content, in all of its frames', async () => {
    const halves = [content.subarray(0, 200_000), content.subarray(200_000)].map(zstdOf);
    const { bytes, warnings } = await unpacked(folder.write('frames.bin', Buffer.concat(halves)));
    expect(bytes.equals(content)).toBe(true);
    expect(warnings).toEqual([]);
  });

  /** "alloc 1\n" to "alloc 12\n", packed by zstd 1.5.4 with its checksum. */
  const checked = Buffer.from(
    'KLUv/QRYhQEAsGFsbG9jIDEKMjM0NTY3ODkxMDExMgoLAFUQwYSMIDOQBeQDmYEsIB/IDGSxoXABKJl3rg==',
    'base64',
  );
  const lines = Array.from({ length: 12 }, (_, at) => `alloc ${at + 1}\n`).join('');

  it('compares the checksum of every zstd frame', async () => {
    const { bytes, warnings } = await unpacked(folder.write('ok.zst', Buffer.concat([checked, checked])));
    expect(bytes.toString()).toBe(lines + lines);
    expect(warnings).toEqual([]);
    const wrong = Buffer.from(checked);
    wrong.writeUInt8(0, wrong.length - 1);
    const all = Buffer.concat([checked, wrong, checked]);
    const damaged = await unpacked(folder.write('wrong.zst', all));
    expect(damaged.bytes.toString()).toBe(lines.repeat(3));
    const position = { byte: 2 * checked.length - 4 };
    expect(damaged.warnings).toMatchObject([{ code: 'zstd-checksum', damage: true, position }]);
  });

  it('tells a zstd file whose content was changed by its checksum', async () => {
    const changed = Buffer.from(checked);
    changed[changed.indexOf('alloc') + 1] = 'x'.charCodeAt(0);
    const { warnings } = await unpacked(folder.write('changed.zst', changed));
    expect(warnings).toMatchObject([{ code: 'zstd-checksum', damage: true }]);
  });

  it('passes over skippable frames of a zstd file', async () => {
    const skippable = Buffer.concat([Buffer.from([0x5e, 0x2a, 0x4d, 0x18, 3, 0, 0, 0]), Buffer.from('any')]);
    const all = Buffer.concat([checked, skippable, checked, skippable]);
    const { bytes, warnings } = await unpacked(folder.write('skip.zst', all));
    expect(bytes.toString()).toBe(lines + lines);
    expect(warnings).toEqual([]);
  });

  it('cuts a zstd file at its frames however its bytes arrive', () => {
    const all = Buffer.concat([checked, zstdOf(content.subarray(0, 1000)), checked]);
    for (const step of [1, 2, 3, 5, 17, 1000, all.length]) {
      const cutter = new FrameCutter();
      const frames = [0];
      const take = ({ bytes, isLast }: FramePiece) => {
        frames.push((frames.pop() ?? 0) + bytes.length);
        if (isLast) frames.push(0);
      };
      for (let at = 0; at < all.length; at += step) {
        for (const piece of cutter.cut(all.subarray(at, at + step))) take(piece);
      }
      for (const piece of cutter.finish()) take(piece);
      expect(frames).toEqual([checked.length, all.length - 2 * checked.length, checked.length, 0]);
    }
  });

  it('says so when a zstd file has something else behind it', async () => {
    const all = Buffer.concat([checked, Buffer.from('something else behind it')]);
    const { bytes, warnings } = await unpacked(folder.write('behind.zst', all));
    expect(bytes.toString()).toBe(lines);
    expect(warnings).toMatchObject([{ code: 'zstd-damaged', damage: true }]);
  });

  it('keeps everything before the place where a zstd file is cut off', async () => {
    const packed = zstdOf(content).subarray(0, 2_000_000);
    const { bytes, warnings } = await unpacked(folder.write('cut.zst', packed));
    expect(bytes.length).toBeGreaterThan(1_500_000);
    expect(bytes.equals(content.subarray(0, bytes.length))).toBe(true);
    expect(warnings).toMatchObject([{ code: 'zstd-truncated', damage: true, position: { byte: 2_000_000 } }]);
  });

  it('refuses a zstd file that yields nothing', async () => {
    const empty = zstdOf(content).subarray(0, 7);
    await expect(unpack(folder.write('empty.zst', empty))).rejects.toMatchObject({ code: 'zstd-damaged' });
  });

  it('says what is wrong with something that is no file to read', async () => {
    const path = folder.write('empty.pickle', '');
    await expect(unpack(path)).rejects.toMatchObject({
      code: 'file-empty',
      message: 'This file is empty.', // the path may be that of an upload, which means nothing to the user
    });
    await expect(unpack(dirname(path))).rejects.toMatchObject({ code: 'file-is-folder' });
    await expect(unpack(`${path}.gone`)).rejects.toMatchObject({ code: 'file-not-found' });
    mkdirSync(`${path}.folder`);
    await expect(unpack(`${path}/below`)).rejects.toMatchObject({ code: 'file-not-found' });
    await expect(unpack('/dev/null')).rejects.toMatchObject({ code: 'file-not-regular' });
  });
});
