import type { CostModel, DriverCalls } from '../contract/simulation.ts';
import type { Nanoseconds } from './units.ts';

/**
 * What one driver call of each kind is taken to cost, in nanoseconds: orders of magnitude of a data-centre GPU, to be
 * replaced by what a user measures. Mapping is creating 2 MiB, mapping it and allowing access; unmapping includes
 * giving the memory back. What a free costs by waiting for running kernels depends on the program and is left out.
 */
export const DEFAULT_COST_MODEL: CostModel = {
  allocate: 100_000,
  free: 100_000,
  map: 72_000,
  unmap: 60_000,
  synchronize: 10_000,
};

export const COSTED_CALLS = ['allocate', 'free', 'map', 'unmap', 'synchronize'] as const;

/** Calls × their cost. An estimate, whatever the model. */
export function estimateCost(calls: DriverCalls, model: CostModel): Nanoseconds {
  return COSTED_CALLS.reduce((sum, call) => sum + calls[call] * model[call], 0);
}

/** Every call to the driver, refused ones too. */
export function countCalls(calls: DriverCalls): number {
  return calls.allocate + calls.free + calls.reserve + calls.map + calls.unmap + calls.synchronize;
}
