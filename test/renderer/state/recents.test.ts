import { describe, expect, it } from 'vitest';
import { isFragmented } from '../../../renderer/state/findings.ts';
import { rememberTrace, useRecents, worstFinding } from '../../../renderer/state/recents.ts';
import { FakeEngine } from '../fake/fake-engine.ts';

async function openTrace(name: string) {
  const engine = new FakeEngine();
  const info = await engine.call('open', { source: { kind: 'path', path: `/captures/${name}.pickle` } });
  return { engine, info, report: await engine.call('report', { trace: info.trace }) };
}

describe('the worst finding of a capture', () => {
  it('is a failed request before everything', async () => {
    const { report } = await openTrace('fragmented');
    expect(worstFinding(report, 0)).toEqual({ kind: 'failed', count: 1 });
  });

  it('is damage before fragmentation', async () => {
    const { report } = await openTrace('damaged');
    expect(worstFinding(report, 0).kind).toBe('damaged');
  });

  it('is fragmentation only where much is free', () => {
    const GIB = 1024 ** 3;
    expect(isFragmented(0.96, 0.6 * GIB, 57 * GIB)).toBe(false);
    expect(isFragmented(0.4, 12 * GIB, 57 * GIB)).toBe(true);
    expect(isFragmented(0.1, 12 * GIB, 57 * GIB)).toBe(false);
  });
});

describe('recent captures', () => {
  it('hold a sparkline that reaches the peak and comes first when opened again', async () => {
    for (const name of ['training-step', 'no-clock', 'training-step']) {
      const { engine, info } = await openTrace(name);
      await rememberTrace(engine, info, 0);
    }
    const { recents } = useRecents.getState();
    expect(recents.map((one) => one.name)).toEqual(['training-step', 'no-clock']);
    expect(Math.max(...(recents[0]?.reserved ?? []))).toBe(1);
  });

  it('are made for every kind of trace', async () => {
    for (const name of ['state-only', 'expandable', 'damaged']) {
      const { engine, info } = await openTrace(name);
      await rememberTrace(engine, info, 0);
      expect(useRecents.getState().recents[0]?.name).toBe(name);
    }
  });
});
