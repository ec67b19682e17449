import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Engine } from '../../../../app/contract/engine.ts';
import { startingPoint } from '../../../../renderer/state/openings.ts';
import { useStore } from '../../../../renderer/state/store.ts';
import {
  addRun,
  cancelSweep,
  openRun,
  removeRun,
  runAgain,
  setCapacity,
  setDraft,
  sweep,
} from '../../../../renderer/views/what-if/what-if-calls.ts';
import { type PlaceKey, placeOf, runOf } from '../../../../renderer/views/what-if/what-if-store.ts';
import { FakeEngine } from '../../fake/fake-engine.ts';

let engine: Engine;
let key: PlaceKey;
const until = (isTrue: () => boolean) => vi.waitFor(() => expect(isTrue()).toBe(true));

async function open(name: string, pause = 0): Promise<void> {
  useStore.getState().closeAll();
  engine = new FakeEngine(pause);
  const info = await engine.call('open', { source: { kind: 'sample', name } });
  // Each test has a trace of its own name, because the places of all are kept together.
  key = { trace: info.trace, device: 0 };
  useStore.getState().addTrace(info, startingPoint(info));
}

beforeEach(() => open('out-of-memory'));

function selected() {
  const { selected: id } = placeOf(key);
  const run = id === null ? undefined : runOf(key, id);
  if (run === undefined) throw new Error('nothing is selected');
  return run;
}

describe('what is asked', () => {
  it('is a sweep at first, and the run that answers is selected', async () => {
    await sweep(engine, key);
    expect(placeOf(key)).toMatchObject({ state: 'done', error: null });
    expect(selected().request).toEqual({ allocator: 'pytorch', settings: { expandable_segments: 'True' } });
    expect(selected().summary?.failureCount).toBe(0);
  });

  it('can be cancelled, and asked again', async () => {
    await open('out-of-memory', 5);
    const asked = sweep(engine, key);
    await until(() => placeOf(key).progress !== null);
    cancelSweep(key);
    await asked;
    expect(placeOf(key)).toMatchObject({ state: 'stopped', progress: null });
    await sweep(engine, key);
    expect(placeOf(key).state).toBe('done');
  });

  it('is asked again, run by run, for another device', async () => {
    await sweep(engine, key);
    const ids = new Set(placeOf(key).runs.map((run) => run.id));
    setCapacity(engine, key, { kind: 'given', bytes: 1024 ** 4 });
    await until(() => placeOf(key).state === 'done');
    expect(placeOf(key).recording?.capacityFrom).toBe('given');
    expect(new Set(placeOf(key).runs.map((run) => run.id))).toEqual(ids);
    expect(placeOf(key).runs.every((run) => run.summary?.failureCount === 0)).toBe(true);
  });

  it('shows a changed knob beside the old result until it is run again', async () => {
    await sweep(engine, key);
    const { id, summary } = selected();
    setDraft(engine, key, id, { allocator: 'pytorch', settings: { max_split_size_mb: '100' } });
    await until(() => runOf(key, id)?.preview !== null);
    expect(runOf(key, id)).toMatchObject({ summary, isBusy: false });
    const { preview } = selected();
    await runAgain(engine, key, id);
    expect(runOf(key, id)).toMatchObject({ summary: preview, draft: null, preview: null });
  });

  it('forgets a change that is taken back', async () => {
    await sweep(engine, key);
    const { id, request } = selected();
    setDraft(engine, key, id, { allocator: 'bfc', settings: {} });
    setDraft(engine, key, id, { ...request, settings: { ...request.settings } });
    expect(runOf(key, id)).toMatchObject({ draft: null, isBusy: false });
  });

  it('keeps the old result beside the reason why a change cannot be simulated', async () => {
    await sweep(engine, key);
    const { id, summary } = selected();
    setDraft(engine, key, id, { allocator: 'pytorch', settings: { max_split_size_mb: 'many' } });
    await until(() => runOf(key, id)?.error !== null);
    expect(runOf(key, id)?.error).toMatchObject({ code: 'bad-setting' });
    expect(runOf(key, id)?.summary).toBe(summary);
  });

  it('adds and removes runs', async () => {
    await sweep(engine, key);
    const before = placeOf(key).runs.length;
    addRun(engine, key, { allocator: 'bfc', settings: { allow_growth: 'false' } });
    const { id } = selected();
    await until(() => runOf(key, id)?.summary !== null);
    expect(placeOf(key).runs).toHaveLength(before + 1);
    removeRun(key, id);
    expect(placeOf(key).runs).toHaveLength(before);
    expect(selected().id).not.toBe(id);
  });

  it('opens a run as a trace of its own', async () => {
    await sweep(engine, key);
    const { id, request } = selected();
    await openRun(engine, key, id);
    const opened = useStore.getState().traces.at(-1)?.info;
    expect(opened?.source).toEqual({ kind: 'simulation', of: key.trace, device: 0, run: request });
    expect(useStore.getState().active).toBe(opened?.trace);
    expect(placeOf(key).opening).toBeNull();
  });
});
