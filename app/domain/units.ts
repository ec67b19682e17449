/** Bytes as the engine counts them; exact up to 2^53, which is eight thousand terabytes. */
export type Bytes = number & { readonly unit?: 'bytes' };
/** Nanoseconds since the start of the trace; exact up to 2^53, which is a hundred days. */
export type Nanoseconds = number & { readonly unit?: 'ns' };
/** Position of an event in its device's recorded order; -1 is the moment before the first. */
export type EventIndex = number & { readonly unit?: 'event' };
/** A 64-bit address as "0x…"; never a rounded number. */
export type Address = `0x${string}`;

export const BEFORE_FIRST: EventIndex = -1;
