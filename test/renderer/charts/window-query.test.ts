import { describe, expect, it, vi } from 'vitest';
import type { Engine, WindowArg } from '../../../app/contract/engine.ts';
import { showsEnough, spareFor } from '../../../renderer/charts/columns.ts';
import { beforeDrawing, onDrawing, requestDrawing } from '../../../renderer/charts/frame-loop.ts';
import { WindowQuery } from '../../../renderer/charts/window-query.ts';

const frames: (() => void)[] = [];
vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame));
const runFrame = () => {
  for (const frame of frames.splice(0)) frame();
};

const windowOf = (from: number, to: number): WindowArg => ({ axis: 'event', from, to, columns: 100 });
const argsOf = (from: number, to: number) => ({ trace: 'a', device: 0, window: windowOf(from, to) });

/** Answers a call with its own window when it is told to. */
function slowEngine() {
  const calls: { window: WindowArg; answer: () => void }[] = [];
  const call = (_: string, { window }: { window: WindowArg }) =>
    new Promise((resolve) => calls.push({ window, answer: () => resolve({ window }) }));
  return { calls, engine: { call } as unknown as Engine };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

describe('a question about a moving window', () => {
  it('is asked one at a time, and of those that come meanwhile only the newest', async () => {
    const { calls, engine } = slowEngine();
    const query = new WindowQuery('series');
    for (const from of [0, 10, 20, 30]) query.ask(engine, argsOf(from, from + 100));
    expect(calls).toHaveLength(1);
    calls[0]?.answer();
    await turn();
    expect(query.answer?.window.from).toBe(0);
    expect(calls.map(({ window }) => window.from)).toEqual([0, 30]);
  });

  it('tells React of the answer where the window rests, and of no other', async () => {
    const { calls, engine } = slowEngine();
    const query = new WindowQuery('series');
    const told = vi.fn();
    query.subscribe(told);
    query.ask(engine, argsOf(0, 100));
    calls[0]?.answer();
    await turn();
    expect(told).not.toHaveBeenCalled();
    query.rest(engine, argsOf(5, 105));
    calls[1]?.answer();
    await turn();
    expect(told).toHaveBeenCalledOnce();
    expect(query.rested.data?.window.from).toBe(5);
    expect(query.answers(argsOf(5, 105))).toBe(true);
  });

  it('keeps the picture when it fails, and says why', async () => {
    const query = new WindowQuery('series');
    const failing = { call: () => Promise.reject(new Error('gone')) } as unknown as Engine;
    query.rest(failing, argsOf(0, 100));
    await turn();
    expect(query.rested.error?.message).toContain('gone');
  });
});

describe('a window that was asked for', () => {
  const full = { from: 0, to: 1000 };
  const range = { from: 400, to: 500 };
  const asked = { axis: 'event', from: 375, to: 525, columns: 150 } as const;

  it('is enough while it covers what is visible and is not stretched too far', () => {
    expect(showsEnough(asked, range, { from: 405, to: 505 }, full, 100)).toBe(true);
    expect(showsEnough(asked, range, { from: 415, to: 515 }, full, 100)).toBe(false);
    expect(showsEnough(asked, range, { from: 430, to: 470 }, full, 100)).toBe(false);
    expect(showsEnough(asked, range, { from: 340, to: 560 }, full, 100)).toBe(false);
  });

  it('needs nothing beyond the ends of the trace', () => {
    const whole = { axis: 'event', from: 0, to: 1000, columns: 100 } as const;
    expect(showsEnough(whole, full, full, full, 100)).toBe(true);
  });

  it('lies ahead of a pan, and around a zoom', () => {
    expect(spareFor(range, { from: 410, to: 510 }).after).toBeGreaterThan(0.5);
    expect(spareFor(range, { from: 390, to: 490 }).before).toBeGreaterThan(0.5);
    const zoom = spareFor(range, { from: 410, to: 490 });
    expect(zoom.before).toBe(zoom.after);
  });
});

describe('a frame', () => {
  it('applies what the pointer asks before it draws, and draws once', () => {
    runFrame();
    const order: string[] = [];
    const stop = onDrawing(() => order.push('draw'));
    requestDrawing();
    beforeDrawing(() => {
      order.push('input');
      requestDrawing();
    });
    requestDrawing();
    runFrame();
    runFrame();
    stop();
    expect(order).toEqual(['input', 'draw']);
  });
});
