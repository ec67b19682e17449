import { BYTE_UNITS, bytesPer, formatBytes, plainSpaces } from './format.ts';
import type { Bytes } from './units.ts';

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
};
const SIZE = /^(\d[\d,_]*(?:\.\d+)?)\s*([a-z]*)$/;

/**
 * A size as people write it: `24 GiB`, `1.5GiB`, `80 GB` (decimal, as vendors count), `25769803776`. Whole bytes,
 * rounded; null when it is no size, is 0, or is beyond 2^53.
 */
export function parseSize(text: string): Bytes | null {
  const [, number, unit] = SIZE.exec(text.trim().toLowerCase()) ?? [];
  const factor = unit === undefined ? undefined : UNITS[unit];
  if (number === undefined || factor === undefined) return null;
  const bytes = Math.round(Number(number.replaceAll(/[,_]/g, '')) * factor);
  return bytes > 0 && Number.isSafeInteger(bytes) ? bytes : null;
}

/** A size as one would type it, `20 MiB`, in the largest unit that says it exactly. */
export function typedSize(bytes: Bytes): string {
  const short = plainSpaces(formatBytes(bytes)).replace(/\.0+(?= )/, '');
  if (bytes === 0 || parseSize(short) === bytes) return short;
  const unit = BYTE_UNITS.findLast((one) => bytes % bytesPer(one) === 0) ?? 'B';
  return unit === 'B' ? String(bytes) : `${bytes / bytesPer(unit)} ${unit}`;
}
