import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BYTE_UNITS,
  byteUnitOf,
  formatAddress,
  formatBounds,
  formatByteDifference,
  formatBytes,
  formatBytesIn,
  formatClose,
  formatCount,
  formatCursorTime,
  formatDuration,
  formatElapsed,
  formatExactBytes,
  formatOffset,
  formatPercent,
  formatSpan,
  formatTime,
  plainSpaces,
  timeUnitOf,
} from '../../../app/domain/format.ts';

const KIB = 1024;
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const plain = plainSpaces;

describe('bytes', () => {
  it('writes each unit with its own decimals', () => {
    expect(plain(formatBytes(0))).toBe('0 B');
    expect(plain(formatBytes(512))).toBe('512 B');
    expect(plain(formatBytes(577 * KIB))).toBe('577 KiB');
    expect(plain(formatBytes(24.5 * MIB))).toBe('24.5 MiB');
    expect(plain(formatBytes(246.3 * MIB))).toBe('246 MiB');
    expect(plain(formatBytes(61_111_009_280))).toBe('56.91 GiB');
    expect(plain(formatBytes(3 * 1024 * GIB))).toBe('3.00 TiB');
  });

  it('takes the next unit rather than writing 1,024 of one', () => {
    expect(plain(formatBytes(MIB - 1))).toBe('1.0 MiB');
    expect(plain(formatBytes(GIB - 1))).toBe('1.00 GiB');
    expect(plain(formatBytes(1023 * MIB))).toBe('1,023 MiB');
  });

  it('drops the decimal of mebibytes where it would show a hundred', () => {
    expect(plain(formatBytes(99.94 * MIB))).toBe('99.9 MiB');
    expect(plain(formatBytes(99.96 * MIB))).toBe('100 MiB');
  });

  it('holds a unit so that columns align, unless a value would vanish in it', () => {
    expect(plain(formatBytes(512 * MIB, 'en', 'GiB'))).toBe('0.50 GiB');
    expect(plain(formatBytes(20 * MIB, 'en', 'GiB'))).toBe('0.02 GiB');
    expect(plain(formatBytes(4 * MIB, 'en', 'GiB'))).toBe('4.0 MiB');
    expect(formatBytesIn(15 * GIB, 'GiB')).toBe('15.00');
  });

  it('writes exact bytes grouped', () => {
    expect(plain(formatExactBytes(61_111_009_280))).toBe('61,111,009,280 B');
    expect(plain(formatExactBytes(2n ** 64n - 1n))).toBe('18,446,744,073,709,551,615 B');
  });

  it('signs differences with a true minus', () => {
    expect(plain(formatByteDifference(1.45 * MIB))).toBe('+1.5 MiB');
    expect(plain(formatByteDifference(-5.21 * GIB))).toBe('\u22125.21 GiB');
    expect(plain(formatByteDifference(0))).toBe('0 B');
    expect(plain(formatOffset(400 * MIB))).toBe('+400 MiB');
  });

  it('writes addresses in full', () => {
    expect(formatAddress(0x7f5936000000n)).toBe('0x7f5936000000');
  });

  it('never writes 1,024 of a unit below the largest, whatever the size', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 50 - 1 }), (bytes) => {
        const [number, unit] = plain(formatBytes(bytes)).split(' ');
        expect(BYTE_UNITS).toContain(unit);
        expect(byteUnitOf(bytes)).toBe(unit);
        return unit === 'TiB' || Number(number?.replaceAll(',', '')) < 1024;
      }),
    );
  });
});

describe('close calls', () => {
  const close = (first: number, second: number) => formatClose(first, second).map(plain);

  it('shows what separates two sizes', () => {
    expect(close(245.74 * MIB, 244.29 * MIB)).toEqual(['245.74 MiB', '244.29 MiB']);
  });

  it('writes sizes far apart as each would be alone', () => {
    expect(close(246 * MIB, 100 * MIB)).toEqual(['246 MiB', '100 MiB']);
    expect(close(4 * GIB, 20 * MIB)).toEqual(['4.00 GiB', '20.0 MiB']);
    expect(close(5 * GIB, 5 * GIB)).toEqual(['5.00 GiB', '5.00 GiB']);
  });

  it('adds no decimals that say nothing', () => {
    expect(close(100 * MIB, 98 * MIB)).toEqual(['100.0 MiB', '98.0 MiB']);
  });

  it('writes bytes where decimals cannot separate them', () => {
    expect(close(245 * MIB, 245 * MIB - 512)).toEqual(['256,901,120 B', '256,900,608 B']);
  });

  it('always writes different texts for different sizes', () => {
    const size = fc.integer({ min: 0, max: 2 ** 46 });
    fc.assert(
      fc.property(size, fc.integer({ min: 1, max: 2 ** 20 }), (first, apart) => {
        const [one, other] = formatClose(first, first + apart);
        return one !== other;
      }),
    );
  });
});

describe('bounds', () => {
  it('names the unit once', () => {
    expect(formatBounds(13.14 * GIB, 56.91 * GIB).map(plain)).toEqual(['13.14', '56.91 GiB']);
  });

  it('names both units where the lower end would vanish', () => {
    expect(formatBounds(0, 56.91 * GIB).map(plain)).toEqual(['0 B', '56.91 GiB']);
  });
});

describe('percent', () => {
  it('keeps one decimal', () => {
    expect(plain(formatPercent(0.987))).toBe('98.7 %');
  });

  it('reaches 0 and 100 only when exact', () => {
    expect(plain(formatPercent(1))).toBe('100.0 %');
    expect(plain(formatPercent(0))).toBe('0.0 %');
    expect(plain(formatPercent(0.99996))).toBe('> 99.9 %');
    expect(plain(formatPercent(0.0001))).toBe('< 0.1 %');
    expect(plain(formatPercent(0.9994))).toBe('99.9 %');
  });
});

describe('time', () => {
  it('picks one unit for an axis', () => {
    expect([10, 5e4, 3.94e8, 5e9, 9e11].map(timeUnitOf)).toEqual(['ns', 'µs', 'ms', 's', 'min']);
  });

  it('shows three decimals at the cursor', () => {
    expect(plain(formatCursorTime(393_809_000, 'ms'))).toBe('393.809 ms');
    expect(plain(formatTime(393_809_000))).toBe('393.8 ms');
    expect(plain(formatTime(17, 'ns'))).toBe('17 ns');
  });

  it('writes lengths with three digits', () => {
    expect(plain(formatDuration(394_000_000))).toBe('394 ms');
    expect(plain(formatDuration(1_210_000))).toBe('1.21 ms');
    expect(plain(formatDuration(0))).toBe('0 ns');
  });

  it('counts what goes on in whole seconds, with hours only when there are any', () => {
    expect(formatElapsed(7_900_000_000)).toBe('0:07');
    expect(formatElapsed(3_727_000_000_000)).toBe('1:02:07');
    expect(formatElapsed(0)).toBe('0:00');
  });

  it('writes spans in one unit, as finely as they are long', () => {
    expect(plain(formatSpan(196e6, 394e6))).toBe('196 – 394 ms');
    expect(plain(formatSpan(196.2e6, 197.4e6))).toBe('196.20 – 197.40 ms');
  });
});

describe('locales', () => {
  it('groups counts', () => {
    expect(formatCount(19770)).toBe('19,770');
    expect(formatCount(19770, 'zh-CN')).toBe('19,770');
  });
});
