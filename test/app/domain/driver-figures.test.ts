import { describe, expect, it } from 'vitest';
import type { DeviceInfo, PartInfo, TraceInfo } from '../../../app/contract/engine.ts';
import type { CounterInfo } from '../../../app/contract/live.ts';
import { driverFigures, pairedFigure } from '../../../app/domain/driver-figures.ts';

const part = (format: string, rank: number | null = null, settings = {}) =>
  ({ format, rank, settings }) as PartInfo;
const device = (of: number, ordinal = 0, kind = 'cuda') =>
  ({ part: of, ordinal, kind, hasClock: true }) as DeviceInfo;
const set = (parts: readonly PartInfo[], devices: readonly DeviceInfo[]) => ({ parts, devices }) as TraceInfo;
const counter = (group: string, name: string, of: number, isProcess = false): CounterInfo => ({
  group,
  name,
  unit: 'bytes',
  isProcess,
  points: 1,
  part: of,
});

const GPUS = [
  counter('GPU 0', 'total', 1),
  counter('GPU 0', 'used', 1),
  counter('GPU 0', 'python (7)', 1, true),
  counter('GPU 1', 'used', 1),
  counter('GPU 1', 'python (8)', 1, true),
];

function pairing(parts: readonly PartInfo[], devices: readonly DeviceInfo[], at = 0, counters = GPUS) {
  const info = set(parts, devices);
  const one = devices[at] as DeviceInfo;
  const found = pairedFigure(info, one, driverFigures(info, one, counters));
  return found === null ? null : [found.figure.group, found.figure.process, found.by];
}

describe('what a device can be compared with', () => {
  it('is what recordings of GPUs say was used, on each GPU and by each process', () => {
    const one = device(0);
    const info = set([part('pytorch-snapshot'), part('gpu-recording')], [one]);
    const others = [...GPUS, counter('GPU 0', 'used', 0)];
    expect(driverFigures(info, one, others).map(({ group, process }) => [group, process])).toEqual([
      ['GPU 0', null],
      ['GPU 0', 'python (7)'],
      ['GPU 1', null],
      ['GPU 1', 'python (8)'],
    ]);
  });

  it('is nothing for a device without times', () => {
    const one = { ...device(0), hasClock: false };
    expect(driverFigures(set([part('x'), part('gpu-recording')], [one]), one, GPUS)).toEqual([]);
  });
});

describe('the figure of a device', () => {
  const recording = part('gpu-recording');

  it('is that of its GPU by index', () => {
    expect(pairing([part('x'), recording], [device(0, 1)])).toEqual(['GPU 1', null, 'index']);
  });

  it('is that of its own process where the file names it', () => {
    const named = part('kineto', null, { process_id: '8' });
    expect(pairing([named, recording], [device(0, 0)])).toEqual(['GPU 1', 'python (8)', 'process']);
  });

  it('is that of its rank where every rank has a GPU 0 of its own', () => {
    const parts = [part('x', 0), recording, part('x', 3)];
    expect(pairing(parts, [device(0), device(2)], 1)).toEqual(['GPU 1', null, 'rank']);
  });

  it('is that of the only GPU when there is no other', () => {
    const gpus = [counter('GPU 0', 'used', 1)];
    expect(pairing([part('x'), recording], [device(0, 5)], 0, gpus)).toEqual(['GPU 0', null, 'only']);
  });

  it('is nothing for host memory, and where no GPU has its index', () => {
    expect(pairing([part('x'), recording], [device(0, 0, 'host')])).toBeNull();
    expect(pairing([part('x'), recording], [device(0, 5)])).toBeNull();
  });
});
