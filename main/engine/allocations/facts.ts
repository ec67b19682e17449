import type { AllocationSession } from '../../../app/contract/allocations.ts';
import type { Session } from './session.ts';

/** What is known of a session, whoever asks. */
export function factsOf(session: Session): Omit<AllocationSession, 'session' | 'trace' | 'isSaved'> {
  const { hello, ending, growth: counts } = session;
  const { unreadable: count, unreadableLine: line, unreadableByte: byte } = counts;
  return {
    producer: hello.producer,
    pid: hello.pid,
    state: ending !== null ? 'ended' : session.holder !== null ? 'connected' : 'away',
    end: ending?.end ?? null,
    problem: ending?.problem ?? null,
    startedMs: session.started.getTime(),
    events: counts.events,
    held: counts.held,
    rate: ending === null ? session.rate : 0,
    dropped: counts.dropped,
    gaps: counts.gaps,
    unreadable: count === 0 ? null : { count, line, byte },
    cutBytes: session.cutBytes,
    path: session.path,
    bytes: counts.bytes,
    limitBytes: session.limitBytes,
  };
}
