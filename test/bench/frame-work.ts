import type { Browser } from 'playwright-core';

/**
 * What each frame costs the page's main thread, from a trace of the browser: the processor time of its tasks, which
 * stays comparable where other programs take turns on the machine.
 */

/** Set by the page at the start of every frame. */
export const FRAME_MARK = 'strata-frame';

/** Of Chromium's trace format; times in microseconds, `tdur` is processor time and absent when it is 0. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
}

export interface Traced<T> {
  readonly result: T;
  /** Milliseconds of processor time between one mark and the next. */
  readonly work: number[];
}

/** Traces the browser while `motion` runs. */
export async function traceFrames<T>(browser: Browser, motion: () => Promise<T>): Promise<Traced<T>> {
  const session = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.start', {
    traceConfig: {
      includedCategories: ['toplevel', 'blink.user_timing'],
      excludedCategories: ['*'],
      recordMode: 'recordAsMuchAsPossible',
    },
    transferMode: 'ReportEvents',
  });
  const result = await motion();
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  return { result, work: workBetweenMarks(events) };
}

/** A task belongs to the frame in which it ends: the one that draws frame n ends after the mark that it sets. */
function workBetweenMarks(events: readonly TraceEvent[]): number[] {
  const marks = events.filter(({ name, ph }) => name === FRAME_MARK && ph !== 'E');
  const [first] = marks;
  if (first === undefined) throw new Error('the trace holds no frame');
  const starts = marks.map(({ ts }) => ts).sort((one, other) => one - other);
  const work = new Array<number>(starts.length - 1).fill(0);
  for (const task of outermost(events.filter(({ pid, tid }) => pid === first.pid && tid === first.tid))) {
    const end = task.ts + (task.dur ?? 0);
    const frame = starts.findLastIndex((start) => start < end);
    if (frame >= 0 && frame < work.length) work[frame] = (work[frame] ?? 0) + (task.tdur ?? 0) / 1000;
  }
  return work;
}

/** Tasks may run others inside. */
function outermost(events: readonly TraceEvent[]): TraceEvent[] {
  const tasks = events.filter(({ name, ph }) => ph === 'X' && name.endsWith('RunTask'));
  let reached = 0;
  return tasks
    .sort((one, other) => one.ts - other.ts || (other.dur ?? 0) - (one.dur ?? 0))
    .filter(({ ts, dur }) => {
      const isOuter = ts >= reached;
      if (isOuter) reached = ts + (dur ?? 0);
      return isOuter;
    });
}
