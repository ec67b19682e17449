import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, type EngineMessage, encode, WireError } from '../../../app/contract/wire.ts';

const result = (value: unknown) => ({ type: 'result', id: 7, result: value }) as EngineMessage;

describe('the wire', () => {
  it('carries a call as it is', () => {
    const call = { type: 'call', id: 1, method: 'close', args: { trace: 't1' } } as const;
    expect(decode(encode(call))).toEqual(call);
  });

  it('carries typed arrays of every kind, wherever they are in the message', () => {
    const message = result({
      bytes: new Uint8Array([1, 2, 3]),
      nested: [{ site: new Uint16Array([0, 0xffff]) }, { moment: new Int32Array([-1, 2 ** 31 - 1]) }],
      block: new Uint32Array([0xffffffff]),
      float: new Float32Array([1.5]),
      double: new Float64Array([0.1, Number.NaN, -0]),
      address: new BigUint64Array([2n ** 64n - 1n]),
      signed: new BigInt64Array([-(2n ** 63n)]),
      empty: new Float64Array(0),
      nothing: null,
    });
    expect(decode(encode(message))).toEqual(message);
  });

  it('copies only the part of a buffer that a view shows', () => {
    const shared = new Float64Array(1000).fill(9);
    const bytes = encode(result({ part: shared.subarray(10, 12) }));
    expect(bytes.length).toBeLessThan(300);
    expect(decode(bytes)).toEqual(result({ part: new Float64Array([9, 9]) }));
  });

  it('decodes from an odd position in a larger buffer', () => {
    const message = result({ address: new BigUint64Array([1n, 2n]) });
    const bytes = encode(message);
    const shifted = new Uint8Array(bytes.length + 3);
    shifted.set(bytes, 3);
    expect(decode(shifted.subarray(3))).toEqual(message);
    expect(decode(Buffer.from(shifted.buffer).subarray(3))).toEqual(message);
  });

  it('is not confused by what a message says about arrays', () => {
    const message = result({ arrays: [{ path: ['result'], kind: 'Uint8Array', offset: 0, length: 1 }] });
    expect(decode(encode(message))).toEqual(message);
  });

  it('brings back any message', () => {
    const bulk = fc.oneof(fc.uint8Array(), fc.float64Array(), fc.bigUint64Array(), fc.int32Array());
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        bulk,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(value, (content) => {
        expect(decode(encode(result(content)))).toEqual(result(content));
      }),
    );
  });

  it.each([
    ['nothing', []],
    ['a header longer than the message', [255, 0, 0, 0, 1]],
    ['a header that is not JSON', [2, 0, 0, 0, 123, 34]],
    ['a header without its parts', [2, 0, 0, 0, 123, 125]],
  ])('refuses %s', (_, bytes) => {
    expect(() => decode(new Uint8Array(bytes))).toThrow(WireError);
  });

  it.each([
    ['beyond the end', { path: ['message'], kind: 'Float64Array', offset: 0, length: 9 }],
    ['of a length that overflows', { path: ['message'], kind: 'Float64Array', offset: 0, length: 2 ** 52 }],
    ['at an odd place', { path: ['message'], kind: 'Uint8Array', offset: 1, length: 1 }],
    ['of a kind that does not exist', { path: ['message'], kind: 'constructor', offset: 0, length: 0 }],
    ['in place of something', { path: ['full'], kind: 'Uint8Array', offset: 0, length: 0 }],
    ['in a prototype', { path: ['__proto__', 'polluted'], kind: 'Uint8Array', offset: 0, length: 0 }],
  ])('refuses an array %s', (_, entry) => {
    const message = { message: null, full: 1 };
    const header = new TextEncoder().encode(JSON.stringify({ message, arrays: [entry] }));
    const bytes = new Uint8Array(4 + header.length + 8);
    new DataView(bytes.buffer).setUint32(0, header.length, true);
    bytes.set(header, 4);
    expect(() => decode(bytes)).toThrow(WireError);
  });

  it('survives any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        try {
          decode(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
    );
  });
});
