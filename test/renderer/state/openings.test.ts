import { beforeEach, describe, expect, it } from 'vitest';
import type { Args, Engine, FileSource } from '../../../app/contract/engine.ts';
import type { ChosenFile } from '../../../renderer/engine/platform.ts';
import { useFrame } from '../../../renderer/state/frame.ts';
import { openMany, openSeparately, togetherAs } from '../../../renderer/state/openings.ts';
import { useStore } from '../../../renderer/state/store.ts';
import { FakeEngine } from '../fake/fake-engine.ts';

const path = (name: string): FileSource => ({ kind: 'path', path: `/captures/${name}` });
const file = (name: string, bytes: number | null = 10): ChosenFile => ({
  name,
  bytes,
  source: async (_signal, onSent) => {
    onSent(bytes ?? 0);
    return path(name);
  },
});

/** The made-up engine, which remembers what it was asked to open. */
function watched(): { readonly engine: Engine; readonly sources: Args<'open'>['source'][] } {
  const fake = new FakeEngine();
  const sources: Args<'open'>['source'][] = [];
  return {
    sources,
    engine: {
      call: (method, args, options) => {
        if (method === 'open') sources.push((args as Args<'open'>).source);
        return fake.call(method, args, options);
      },
    },
  };
}

beforeEach(() => {
  useStore.getState().closeAll();
  useFrame.getState().setOpenedApart([]);
});

describe('files that are chosen at once', () => {
  it('are one trace where they look like ranks of one run, in the order of the ranks', async () => {
    const { engine, sources } = watched();
    await openMany(engine, [file('no-clock_rank1.pickle'), file('no-clock_rank0.pickle')]);
    expect(sources).toEqual([
      { kind: 'set', files: [path('no-clock_rank0.pickle'), path('no-clock_rank1.pickle')] },
    ]);
    expect(useFrame.getState().openedApart.size).toBe(0);
  });

  it('are traces of their own otherwise, and can be put together', async () => {
    const { engine, sources } = watched();
    await openMany(engine, [file('training-step.pickle'), file('no-clock.pickle')]);
    expect(sources).toEqual([path('training-step.pickle'), path('no-clock.pickle')]);
    const open = useStore.getState().traces.map(({ info }) => info.trace);
    expect([...useFrame.getState().openedApart].sort()).toEqual(open.sort());
  });

  it('stand in their own order, with the first shown, whichever is ready first', async () => {
    const { engine } = watched();
    const slow: ChosenFile = {
      ...file('training-step.pickle'),
      source: async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return path('training-step.pickle');
      },
    };
    await openMany(engine, [slow, file('no-clock.pickle')]);
    const { traces, active } = useStore.getState();
    expect(traces.map(({ info }) => info.source)).toEqual([
      path('training-step.pickle'),
      path('no-clock.pickle'),
    ]);
    expect(active).toBe(traces[0]?.info.trace);
  });
});

describe('files that are put together', () => {
  it('are handed over one after the other, and count together', async () => {
    const sent: number[] = [];
    const set = togetherAs([file('a.pickle', 10), file('b.pickle', 5)]);
    const source = await set.source(new AbortController().signal, (bytes) => sent.push(bytes));
    expect(source).toEqual({ kind: 'set', files: [path('a.pickle'), path('b.pickle')] });
    expect(set.bytes).toBe(15);
    expect(sent).toEqual([10, 15]);
    expect(togetherAs([file('a', null), file('b')]).bytes).toBeNull();
  });

  it('are opened separately by what they were made of', async () => {
    const { engine, sources } = watched();
    const info = await engine.call('open', { source: path('training-step.pickle') });
    const files = [path('no-clock.pickle'), path('shortage.pickle')];
    await openSeparately(engine, { ...info, source: { kind: 'set', files } });
    expect(sources.slice(1)).toEqual(files);
  });
});
