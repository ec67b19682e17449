import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReportFailure } from '../../../app/contract/report.ts';
import { hintsOf } from '../../../renderer/views/overview/hints.ts';
import { holeColumns } from '../../../renderer/views/overview/holes.ts';
import { verdictOf } from '../../../renderer/views/overview/verdict.ts';
import { FakeEngine } from '../fake/fake-engine.ts';

const MIB = 1024 ** 2;

function failure(asked: number, free: number, largest: number, device: number): ReportFailure {
  return {
    event: 1,
    time_ns: null,
    requested: null,
    rounded: asked * MIB,
    device_free: device * MIB,
    stream: '0',
    free: free * MIB,
    largest_free: largest * MIB,
    reserved: 4096 * MIB,
    active: (4096 - free) * MIB,
    stack: [],
  };
}

describe('the verdict on a failed request', () => {
  it('is fragmentation when enough is free, but in no single hole', () => {
    const verdict = verdictOf(failure(100, 236, 25.4, 12));
    expect(verdict.kind).toBe('fragmentation');
    expect(verdict.short).toBeCloseTo(74.6 * MIB);
  });

  it('is a shortage when even all free memory together is too little', () => {
    const verdict = verdictOf(failure(488, 300, 299, 62));
    const asked = 488 * MIB;
    expect(verdict).toEqual({ kind: 'shortage', asked, isDeviceKnown: true, short: 126 * MIB });
  });

  it('says when the capture does not tell what the device had left', () => {
    const inPieces = verdictOf({ ...failure(100, 236, 25, 0), device_free: null });
    expect(inPieces).toMatchObject({ kind: 'fragmentation', isDeviceKnown: false });
    const untold = verdictOf({ ...failure(488, 300, 299, 0), device_free: null });
    expect(untold).toMatchObject({ kind: 'untold', isDeviceKnown: false });
  });

  it('is returnable when segments and the device have enough only together', () => {
    expect(verdictOf(failure(100, 60, 20, 50)).kind).toBe('returnable');
  });

  it('is elsewhere when a hole was large enough, so that another pool or stream holds it', () => {
    expect(verdictOf(failure(100, 236, 120, 0)).kind).toBe('elsewhere');
  });
});

describe('holes by size', () => {
  const one = (exponent: number, bytes: number) => ({ exponent, count: 1, bytes });

  it('mark where a request stands among them', () => {
    const { first, mark, columns } = holeColumns([one(21, 3 * MIB), one(24, 20 * MIB)], 100 * MIB);
    expect(first).toBe(21);
    expect(columns.map((column) => column.bytes / MIB)).toEqual([3, 0, 0, 20, 0, 0]);
    expect(mark).toBeCloseTo(Math.log2(100) - 1);
  });

  it('lose nothing, whatever their sizes', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 40 });
    fc.assert(
      fc.property(sizes, fc.option(fc.integer({ min: 1, max: 2 ** 40 })), (exponents, size) => {
        const classes = [...new Set(exponents)].map((exponent) => one(exponent, 2 ** exponent));
        const { columns } = holeColumns(classes, size);
        const total = classes.reduce((sum, { bytes }) => sum + bytes, 0);
        return columns.reduce((sum, { bytes }) => sum + bytes, 0) === total && columns.length <= 12;
      }),
    );
  });
});

describe('hints', () => {
  async function hintsFor(name: string) {
    const engine = new FakeEngine();
    const info = await engine.call('open', { source: { kind: 'path', path: `/captures/${name}.pickle` } });
    const onDevice = { trace: info.trace, device: 0 };
    const report = await engine.call('report', { trace: info.trace });
    const device = report.devices[0] ?? expect.fail();
    const peak = await engine.call('moment', { ...onDevice, event: device.peak.reserved.event });
    const sites = await engine.call('sites', onDevice);
    const { annotations } = await engine.call('markers', onDevice);
    return hintsOf(report, device, peak, sites, annotations.length).map((hint) => hint.name);
  }

  it('tell a state without events how to record its history, and nothing else', async () => {
    expect(await hintsFor('state-only')).toEqual(['history']);
  });

  it('tell a capture without times, and one that began late', async () => {
    expect(await hintsFor('no-clock')).toEqual(['clock', 'before']);
    expect(await hintsFor('training-step')).toEqual(['before']);
  });

  it('do not guess what is older than the recording when the file is cut off', async () => {
    expect(await hintsFor('damaged')).toEqual(['damaged']);
  });
});
