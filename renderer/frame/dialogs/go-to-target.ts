import { nanosecondsPer, TIME_UNITS, type TimeUnit } from '../../../app/domain/format.ts';
import type { Address, EventIndex, Nanoseconds } from '../../../app/domain/units.ts';

/** What the user typed to go to. */
export type Target =
  | { readonly kind: 'time'; readonly time: Nanoseconds }
  | { readonly kind: 'event'; readonly event: EventIndex }
  | { readonly kind: 'address'; readonly address: Address };

const TIME = new RegExp(String.raw`^(\d+(?:\.\d+)?)\s*(${TIME_UNITS.join('|')}|us)$`, 'i');

/**
 * "393.8 ms" is a time, "19762" an event, "0x7f5936000000" an address; groups of digits may be parted by commas or
 * spaces. Null for anything else.
 */
export function parseTarget(text: string): Target | null {
  const plain = text.trim().replace(/(?<=\d)[,\s](?=\d{3}\b)/g, '');
  if (/^0x[0-9a-f]{1,16}$/i.test(plain)) return { kind: 'address', address: plain.toLowerCase() as Address };
  if (/^#?\d+$/.test(plain)) return { kind: 'event', event: Number(plain.replace('#', '')) };
  const [, number, unit] = TIME.exec(plain) ?? [];
  if (number === undefined || unit === undefined) return null;
  const known = (unit.toLowerCase() === 'us' ? 'µs' : unit.toLowerCase()) as TimeUnit;
  return { kind: 'time', time: Math.round(Number(number) * nanosecondsPer(known)) };
}
