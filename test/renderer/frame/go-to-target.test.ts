import { describe, expect, it } from 'vitest';
import { parseTarget } from '../../../renderer/frame/dialogs/go-to-target.ts';

describe('what is typed to go to', () => {
  it('is a time with a unit', () => {
    expect(parseTarget('393.8 ms')).toEqual({ kind: 'time', time: 393_800_000 });
    expect(parseTarget('340us')).toEqual({ kind: 'time', time: 340_000 });
    expect(parseTarget('2.1 s')).toEqual({ kind: 'time', time: 2_100_000_000 });
    expect(parseTarget('1 MIN')).toEqual({ kind: 'time', time: 60_000_000_000 });
  });

  it('is an event without one', () => {
    expect(parseTarget('19762')).toEqual({ kind: 'event', event: 19762 });
    expect(parseTarget('#19,762')).toEqual({ kind: 'event', event: 19762 });
    expect(parseTarget('19 762')).toEqual({ kind: 'event', event: 19762 });
  });

  it('is an address in hexadecimal', () => {
    expect(parseTarget(' 0x7F5936000000 ')).toEqual({ kind: 'address', address: '0x7f5936000000' });
  });

  it('is nothing else', () => {
    for (const text of ['', 'ms', '12 parsecs', '0x', '-3', '0x12345678901234567']) {
      expect(parseTarget(text), text).toBeNull();
    }
  });
});
