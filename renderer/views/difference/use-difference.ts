import { useMemo } from 'react';
import type { HolderMoment } from '../../../app/contract/engine.ts';
import type { EngineError } from '../../../app/contract/error.ts';
import { type Difference, differenceOf, pairDevices } from '../../../app/domain/difference.ts';
import { useQuery } from '../../engine/use-query.ts';
import type { TraceState } from '../../state/store.ts';

/** Two traces, the device of the first, and which of them counts as the later one. */
export interface Compared {
  readonly here: TraceState;
  readonly other: TraceState;
  readonly at: HolderMoment;
  /** The other one is the later one. */
  readonly isSwapped: boolean;
}

export interface DifferenceQuery {
  /** Null until both answers are there. */
  readonly difference: Difference | null;
  readonly error: EngineError | null;
  /** The other trace has no such device. */
  readonly isAbsent: boolean;
}

export function useDifference({ here, other, at, isSwapped }: Compared): DifferenceQuery {
  const pairs = pairDevices(other.info.devices, here.info.devices);
  const partner = pairs.find(({ after }) => after === here.device)?.before ?? null;
  const own = useQuery('holders', { trace: here.info.trace, device: here.device, at });
  const others = useQuery(
    'holders',
    partner === null ? null : { trace: other.info.trace, device: partner, at },
  );
  const [one, two] = [own.isStale ? null : own.data, others.isStale ? null : others.data];
  const difference = useMemo(() => {
    if (one === null || two === null) return null;
    return isSwapped ? differenceOf(one, two) : differenceOf(two, one);
  }, [one, two, isSwapped]);
  return { difference, error: own.error ?? others.error, isAbsent: partner === null };
}
