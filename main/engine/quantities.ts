import type { CounterName } from '../../app/contract/report.ts';
import type { Address, Bytes, Nanoseconds } from '../../app/domain/units.ts';
import type { OpenTrace } from './traces.ts';

/** The counters of NativeExtremes, in its order. */
export const COUNTERS: readonly CounterName[] = ['allocated', 'active', 'reserved', 'requested'];

/**
 * Bytes as a number, or, above 2^53, as the decimal string that the report's schema prescribes there: no size is
 * ever rounded silently. No machine has that much memory, so only a made-up capture leads here.
 */
export function exact(bytes: bigint): Bytes {
  return bytes <= Number.MAX_SAFE_INTEGER ? Number(bytes) : (String(bytes) as unknown as Bytes);
}

/** kUnknownBytes of native/trace/trace.h. */
const UNKNOWN_BYTES = 2n ** 64n - 1n;

/** As `exact`; null where the capture does not tell. */
export function exactIfKnown(bytes: bigint): Bytes | null {
  return bytes === UNKNOWN_BYTES ? null : exact(bytes);
}

export function hex(address: bigint): Address {
  return `0x${address.toString(16)}`;
}

/** Time of the moment after an event: that of the event, 0 before the first, null without a clock. */
export function timeOf(entry: OpenTrace, device: number, event: number): Nanoseconds | null {
  if (entry.info.devices[device]?.hasClock !== true) return null;
  return event < 0 ? 0 : entry.native.event(device, event).time;
}
