import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Args, Engine, Results, WindowArg } from '../../app/contract/engine.ts';
import type { EngineError } from '../../app/contract/error.ts';
import { useEngine } from '../engine/engine.ts';
import { useActiveTrace } from '../state/active-trace.ts';
import { asEngineError } from '../state/openings.ts';
import { fullRange, type Range, visibleRange } from '../state/store.ts';
import { showsEnough, spareFor, windowFor } from './columns.ts';
import { onDrawing, requestDrawing } from './frame-loop.ts';

/** Questions whose answer is the picture of a window. */
type WindowMethod = 'series' | 'liveBlocks' | 'map' | 'driver';

/** What React knows: the answer for the range in which the window rests. */
interface Rested<M extends WindowMethod> {
  readonly data: Results[M] | null;
  readonly error: EngineError | null;
}

/**
 * The newest answer to a question about the visible window, kept where drawing finds it and not in React. One call is
 * in flight at a time, and of the questions that come meanwhile the newest is asked next.
 */
export class WindowQuery<M extends WindowMethod> {
  /** The newest answer, of whatever window: it is drawn stretched until the next one comes. */
  answer: Results[M] | null = null;
  rested: Rested<M> = { data: null, error: null };
  /** The window that was asked for last. */
  asked: WindowArg | null = null;
  private askedKey = '';
  private answeredKey = '';
  private restKey = '';
  private next: { readonly engine: Engine; readonly args: Args<M>; readonly key: string } | null = null;
  private isCalling = false;
  private readonly listeners = new Set<() => void>();
  private readonly method: M;

  constructor(method: M) {
    this.method = method;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  };

  /** The newest answer is that to exactly this question. */
  answers(args: Args<M>): boolean {
    return this.answeredKey === JSON.stringify(args);
  }

  ask(engine: Engine, args: Args<M>): void {
    const key = JSON.stringify(args);
    if (key === this.askedKey) return;
    this.asked = args.window;
    this.askedKey = key;
    this.next = { engine, args, key };
    if (!this.isCalling) void this.callWhileWanted();
  }

  /** Asks for the window that stays; React hears of its answer. */
  rest(engine: Engine, args: Args<M>): void {
    this.restKey = JSON.stringify(args);
    this.ask(engine, args);
    this.publish();
  }

  /** Everything is to be asked again: the engine is another one. */
  forget(): void {
    this.askedKey = '';
  }

  private async callWhileWanted(): Promise<void> {
    this.isCalling = true;
    for (let call = this.next; call !== null; call = this.next) {
      this.next = null;
      try {
        this.answer = await call.engine.call(this.method, call.args);
        this.answeredKey = call.key;
        requestDrawing();
        this.publish();
      } catch (caught) {
        this.tell({ data: this.rested.data, error: asEngineError(caught) });
      }
    }
    this.isCalling = false;
  }

  private publish(): void {
    if (this.answeredKey !== this.restKey) return;
    if (this.rested.data === this.answer && this.rested.error === null) return;
    this.tell({ data: this.answer, error: null });
  }

  private tell(rested: Rested<M>): void {
    this.rested = rested;
    for (const listener of this.listeners) listener();
  }
}

export interface WindowAnswers<M extends WindowMethod> extends Rested<M> {
  /** The newest answer on the axis, for drawing. */
  readonly newest: () => Results[M] | null;
  /** The newest answer is that of the visible window. */
  readonly isComplete: () => boolean;
}

/**
 * Asks about the visible window: while it moves, whenever what was asked last no longer shows it well enough, and
 * exactly once it rests. `size` is null until the plot was laid out; `argsOf` completes the question.
 */
export function useWindowQuery<M extends WindowMethod>(
  method: M,
  size: { readonly width: number; readonly pixelRatio: number } | null,
  argsOf: (window: WindowArg) => Args<M>,
): WindowAnswers<M> {
  const engine = useEngine();
  const { info, device, axis, range } = useActiveTrace();
  const [query] = useState(() => new WindowQuery<M>(method));
  const rested = useSyncExternalStore(query.subscribe, () => query.rested);
  const full = fullRange(info, device, axis);
  const argsAt = (visible: Range) =>
    size === null ? null : argsOf(windowFor(axis, visible, full, size.width, size.pixelRatio));
  const resting = JSON.stringify(argsAt(range));

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new engine has answered nothing
  useEffect(() => () => query.forget(), [query, engine]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `resting` stands for what the question is made of
  useEffect(() => {
    const args = argsAt(range);
    if (args !== null) query.rest(engine, args);
    let before = range;
    return onDrawing(() => {
      const visible = visibleRange(info.trace);
      if (size === null || visible === before) return;
      const { width, pixelRatio } = size;
      const { asked } = query;
      const isEnough = asked !== null && showsEnough(asked, before, visible, full, width * pixelRatio);
      const spare = spareFor(before, visible);
      before = visible;
      if (!isEnough) query.ask(engine, argsOf(windowFor(axis, visible, full, width, pixelRatio, spare)));
    });
  }, [query, engine, range, resting]);

  return {
    data: rested.data?.window.axis === axis ? rested.data : null,
    error: rested.error,
    newest: () => (query.answer?.window.axis === axis ? query.answer : null),
    isComplete: () => {
      const args = argsAt(visibleRange(info.trace));
      return args !== null && query.answers(args);
    },
  };
}
