import type { Results } from '../../app/contract/engine.ts';
import { loadAddon } from './addon.ts';
import { engineError } from './errors.ts';

/** "What if": the requests of an open trace through a simulated allocator. */

export function simulators(): Results['simulators'] {
  return loadAddon().simulators();
}

export function notYet(): never {
  throw engineError('not-available', 'This build cannot simulate yet.');
}
