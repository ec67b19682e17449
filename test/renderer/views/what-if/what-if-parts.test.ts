import { describe, expect, it } from 'vitest';
import type { KnobInfo } from '../../../../app/contract/simulation.ts';
import { faultOf, knobArgument, knobText } from '../../../../renderer/views/what-if/knob-value.ts';
import { preparePanel } from '../../../../renderer/views/what-if/panel-marks.ts';
import { rowsOf, sharedScale, walkOf } from '../../../../renderer/views/what-if/rows.ts';
import { newRun } from '../../../../renderer/views/what-if/what-if-store.ts';
import { FakeEngine } from '../../fake/fake-engine.ts';
import { FAKE_SIMULATORS } from '../../fake/fake-simulation.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

async function sweepOf(name: string) {
  const engine = new FakeEngine();
  const { trace } = await engine.call('open', { source: { kind: 'sample', name } });
  return engine.call('sweep', { trace, device: 0, capacity: null, costModel: null, columns: 50, runs: null });
}

describe('the table of runs', () => {
  it('begins with the replay of the recorded settings and ends with models', async () => {
    const { recording, runs } = await sweepOf('training-step');
    const entries = runs.map((summary) => newRun(summary, { summary }));
    const rows = rowsOf({ recording, runs: entries }, FAKE_SIMULATORS, 'pytorch');
    expect(rows.recording).toBeNull();
    expect(walkOf(rows)[0]?.summary?.reproduces).not.toBeNull();
    expect(walkOf(rows).at(-1)?.request.allocator).toBe('offline-greedy');
    expect(walkOf(rows)).toHaveLength(runs.length);
  });

  it('begins with the recording itself where no run has its settings', async () => {
    const { recording, runs } = await sweepOf('training-step');
    const others = runs.filter((run) => run.reproduces === null);
    const entries = others.map((summary) => newRun(summary, { summary }));
    expect(rowsOf({ recording, runs: entries }, FAKE_SIMULATORS, 'pytorch').recording).toBe(recording);
  });

  it('has one scale that holds every peak but one that would flatten the others', async () => {
    const { recording, runs } = await sweepOf('training-step');
    const entries = runs.map((summary) => newRun(summary, { summary }));
    const largest = Math.max(...runs.map((run) => run.peakReserved));
    expect(sharedScale(recording, entries).top).toBe(largest);
    const [first] = runs;
    if (first === undefined) throw new Error('no run');
    const huge = { ...first, peakReserved: 10 * recording.peakReserved };
    expect(sharedScale(recording, [...entries, newRun(huge, { summary: huge })]).top).toBe(largest);
  });
});

describe('the picture of a run', () => {
  const timeline = (values: number[]) => ({
    reserved: Float64Array.from(values),
    active: Float64Array.from(values, (value) => value / 2),
  });
  const data = {
    timeline: timeline([GIB, 2 * GIB]),
    recorded: timeline([GIB, GIB]),
    draft: null,
    capacity: 3 * GIB,
    failedAt: 0.5,
  };

  it('shows every value below the top and marks the first peak', () => {
    const marks = preparePanel(data, 4 * GIB, 100, 118);
    expect(marks.peak).toMatchObject({ x: 75, isBeyond: false });
    expect(marks.peak.y).toBeGreaterThan(marks.limit ?? Number.POSITIVE_INFINITY);
    expect(marks.failureX).toBe(50);
    expect(marks.recorded?.length).toBe(4);
    expect(marks.levels.every((level) => level.y >= 0 && level.y <= 118)).toBe(true);
  });

  it('cuts a peak beyond the scale and says so', () => {
    expect(preparePanel(data, 1.5 * GIB, 100, 118).peak).toMatchObject({ y: 0, isBeyond: true });
  });

  it('leaves out a device whose end lies beyond the scale', () => {
    expect(preparePanel({ ...data, capacity: 80 * GIB }, 2 * GIB, 100, 118).limit).toBeNull();
  });
});

describe('a knob', () => {
  const knob = (part: Partial<KnobInfo>): KnobInfo => ({
    name: 'x',
    kind: 'count',
    initial: '',
    choices: [],
    least: null,
    most: null,
    ...part,
  });

  it('says what is wrong with a text before the engine is asked', () => {
    const count = knob({ least: 20, most: 100 });
    expect(faultOf(count, '')).toBeNull();
    expect(faultOf(count, '64')).toBeNull();
    expect(faultOf(count, '1.5')).toEqual({ kind: 'wholeNumber' });
    expect(faultOf(count, '8')).toEqual({ kind: 'least', least: 20 });
    expect(faultOf(count, '101')).toEqual({ kind: 'most', most: 100 });
    expect(faultOf(knob({ kind: 'fraction' }), 'half')).toEqual({ kind: 'number' });
    expect(faultOf(knob({ kind: 'bytes' }), 'much')).toEqual({ kind: 'size' });
    expect(faultOf(knob({ kind: 'text' }), '[256:1,>:4]')).toBeNull();
  });

  it('takes sizes with a unit, hands over bytes, and shows them in the unit again', () => {
    const bytes = knob({ kind: 'bytes' });
    expect(knobArgument(bytes, '20 MiB')).toBe(String(20 * MIB));
    expect(knobText(bytes, String(20 * MIB))).toBe('20 MiB');
    expect(knobText(bytes, '1234567')).toBe('1234567');
    expect(knobArgument(bytes, '0')).toBe('0');
  });
});
