import { describe, expect, it } from 'vitest';
import { type CommandId, commandIds, commandOf, keysOf } from '../../../renderer/commands/commands.ts';
import { type Keys, matches, type Pressed, writeKeys } from '../../../renderer/commands/keys.ts';
import type { TraceState } from '../../../renderer/state/store.ts';

function press(key: string, change: Partial<Pressed> = {}): Pressed {
  const code = /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : key;
  return { key, code, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...change };
}

describe('keys', () => {
  it('tell Ctrl O from O', () => {
    expect(matches({ key: 'o', control: true }, press('o', { ctrlKey: true }), false)).toBe(true);
    expect(matches({ key: 'o' }, press('o', { ctrlKey: true }), false)).toBe(false);
    expect(matches({ key: 'o' }, press('o'), false)).toBe(true);
  });

  it('take Cmd for Ctrl on a Mac', () => {
    expect(matches({ key: 'o', control: true }, press('o', { metaKey: true }), true)).toBe(true);
    expect(matches({ key: 'o', control: true }, press('o', { ctrlKey: true }), true)).toBe(false);
  });

  it('read brackets with and without shift, whatever character shift makes of them', () => {
    const shifted = press('{', { code: 'BracketLeft', shiftKey: true });
    expect(matches({ key: '[', shift: true }, shifted, false)).toBe(true);
    expect(matches({ key: '[' }, shifted, false)).toBe(false);
    expect(matches({ key: '[' }, press('[', { code: 'BracketLeft' }), false)).toBe(true);
  });

  it('find a question mark on any keyboard', () => {
    expect(matches({ key: '?' }, press('?', { shiftKey: true }), false)).toBe(true);
    expect(matches({ key: '?' }, press('?'), false)).toBe(true);
  });

  it('find letters under Alt, which writes others on a Mac', () => {
    expect(matches({ key: 'w', alt: true }, press('∑', { code: 'KeyW', altKey: true }), true)).toBe(true);
  });

  it('are written in words', () => {
    expect(writeKeys({ key: 'o', control: true }, false)).toBe('Ctrl O');
    expect(writeKeys({ key: 'ArrowLeft', shift: true }, false)).toBe('Shift ←');
    expect(writeKeys({ key: 'Tab', control: true }, true)).toBe('Cmd Tab');
  });
});

describe('commands', () => {
  const written = (keys: Keys) => writeKeys(keys, false);

  for (const kind of ['desktop', 'browser'] as const) {
    it(`have keys of their own in a ${kind}`, () => {
      const all = commandIds.flatMap((id) => keysOf(id, kind).map(written));
      expect(new Set(all).size).toBe(all.length);
      for (const id of commandIds) expect(keysOf(id, kind).length, id).toBeGreaterThan(0);
    });
  }

  it('leave to a browser the keys that it keeps for itself', () => {
    const inBrowser = commandIds.flatMap((id) => keysOf(id, 'browser').map(written));
    for (const kept of ['Ctrl W', 'Ctrl Tab', 'Ctrl N', 'Ctrl T']) expect(inBrowser).not.toContain(kept);
  });

  it('that need a trace are unavailable on Start', () => {
    const context = { platform: {} as never, trace: null };
    const available = commandIds.filter((id) => commandOf(id).isAvailable?.(context) ?? true);
    expect(available).toEqual([
      'open',
      'nextTrace',
      'previousTrace',
      'live',
      'record',
      'back',
      'settings',
      'help',
    ]);
  });

  it('that need blocks are unavailable where a trace holds sampled quantities alone', () => {
    const trace = { info: { devices: [], counters: 4, hasClock: true }, view: 'readings', device: 0 };
    const context = { platform: {} as never, trace: trace as unknown as TraceState };
    const isAvailable = (id: CommandId) => commandOf(id).isAvailable?.(context) ?? true;
    for (const id of [
      'overview',
      'timeline',
      'map',
      'whatIf',
      'inspector',
      'peak',
      'goTo',
      'axis',
    ] as const) {
      expect(isAvailable(id), id).toBe(false);
    }
    for (const id of ['readings', 'zoomIn', 'panOn', 'showAll', 'table'] as const) {
      expect(isAvailable(id), id).toBe(true);
    }
  });
});
