import type { ReportFailure } from '../../../app/contract/report.ts';
import type { Bytes } from '../../../app/domain/units.ts';

/**
 * Why a request failed, told from the sizes alone:
 *   elsewhere      a hole was large enough, so it belongs to another pool or stream
 *   fragmentation  enough was free in segments, but in no single hole
 *   returnable     segments and the rest of the device together had enough, but neither alone
 *   shortage       not enough was free anywhere
 *   untold         the capture does not say what was free
 */
export interface Verdict {
  readonly kind: 'elsewhere' | 'fragmentation' | 'returnable' | 'shortage' | 'untold';
  readonly asked: Bytes;
  /** False where the capture does not say what the device had left. */
  readonly isDeviceKnown: boolean;
  /** What was missing in the largest hole, or, for a shortage, in all free memory. */
  readonly short: Bytes;
}

export function verdictOf(failure: ReportFailure): Verdict {
  const asked = failure.rounded;
  const { free, largest_free: largest, device_free: onDevice } = failure;
  const isDeviceKnown = onDevice !== null;
  if (free === null || largest === null) return { kind: 'untold', asked, isDeviceKnown: true, short: 0 };
  const inHole = Math.max(0, asked - largest);
  if (largest >= asked) return { kind: 'elsewhere', asked, isDeviceKnown, short: 0 };
  if (free >= asked) return { kind: 'fragmentation', asked, isDeviceKnown, short: inHole };
  if (onDevice === null) return { kind: 'untold', asked, isDeviceKnown, short: inHole };
  const all = free + onDevice;
  if (all >= asked) return { kind: 'returnable', asked, isDeviceKnown, short: inHole };
  return { kind: 'shortage', asked, isDeviceKnown, short: asked - all };
}
