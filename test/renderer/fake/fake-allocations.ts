import type { AllocationResults, AllocationsNow } from '../../../app/contract/allocations.ts';
import { EngineError } from '../../../app/contract/error.ts';

const NOW: AllocationsNow = {
  endpoint: {
    address: 'unix:/run/user/1000/strata/allocations.sock',
    isUsual: true,
    pythonFolder: '/opt/strata/python',
  },
  sessions: [],
  refused: null,
  left: [],
};

function noSession(): never {
  throw new EngineError({
    code: 'no-such-session',
    message: 'There is no such session.',
    remedy: '',
    position: null,
  });
}

/** Listens, and nobody comes. */
export const fakeAllocations: { readonly [M in keyof AllocationResults]: () => AllocationResults[M] } = {
  allocationsListen: () => NOW,
  allocations: () => NOW,
  allocationsWatch: noSession,
  allocationsStop: noSession,
  allocationsSave: noSession,
  allocationsDiscard: noSession,
  allocationsRestore: noSession,
  allocationsClose: () => null,
};
