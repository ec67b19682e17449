import { join } from 'node:path';
import type { AllocationSession } from '../../../app/contract/allocations.ts';
import type { EngineErrorData } from '../../../app/contract/error.ts';
import { checkRecordingPlace } from '../recording-place.ts';
import { recordingsFolder } from '../recordings-folder.ts';
import type { EndpointChoice } from './endpoint.ts';
import { factsOf } from './facts.ts';
import { Listener } from './listener.ts';
import { freePath, savedName } from './recording-name.ts';

/** A session without the trace it is shown as: there is nobody to show one to. */
export type AllocationProgram = Omit<AllocationSession, 'session' | 'trace' | 'isSaved'>;

export interface AllocationListener {
  /** As a program names it. */
  readonly address: string;
  /** In the order in which they came. */
  programs(): readonly AllocationProgram[];
  refused(): { readonly count: number; readonly last: EngineErrorData } | null;
  close(): Promise<void>;
}

/** For the name of one that is not named. */
const EXAMPLE = 'allocations.jsonl';

/**
 * Listens without a page. `out`: the first program's recording; others get a number. Errors: those of Listener, and
 * "recording-failed" at once where none could be made.
 */
export async function listenForPrograms(options: {
  readonly endpoint: EndpointChoice;
  readonly limitBytes: number;
  readonly out?: string;
}): Promise<AllocationListener> {
  checkRecordingPlace(options.out ?? join(recordingsFolder(), EXAMPLE), EXAMPLE);
  const listener = await Listener.start({
    endpoint: options.endpoint,
    limitBytes: options.limitBytes,
    pathFor: ({ producer }) => freePath(options.out ?? join(recordingsFolder(), savedName(producer))),
  });
  return {
    address: listener.address,
    programs: () => listener.sessions.map(factsOf),
    refused: () => listener.refused,
    close: () => listener.close(),
  };
}
