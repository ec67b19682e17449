import { useEffect, useRef, useState } from 'react';
import type { Args, MethodName, Results } from '../../app/contract/engine.ts';
import { EngineError } from '../../app/contract/error.ts';
import { useEngine } from './engine.ts';

export interface Query<M extends MethodName> {
  /** The newest answer; the one for earlier arguments until the next arrives, so that pictures stay. */
  readonly data: Results[M] | null;
  /** True while `data` does not yet belong to the current arguments. */
  readonly isStale: boolean;
  readonly error: EngineError | null;
}

/**
 * Asks the engine whenever the arguments change. One call is in flight at a time; what changes meanwhile is asked
 * once, last, so the newest viewport wins. Null arguments ask nothing.
 */
export function useQuery<M extends MethodName>(method: M, args: Args<M> | null): Query<M> {
  const engine = useEngine();
  const key = args === null ? null : JSON.stringify(args);
  const [answer, setAnswer] = useState<{ key: string; data: Results[M] | null; error: EngineError | null }>();
  const wanted = useRef<{ key: string; args: Args<M> } | null>(null);
  const isBusy = useRef(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for `args`
  useEffect(() => {
    wanted.current = args === null || key === null ? null : { key, args };
    const ask = async () => {
      if (isBusy.current) return;
      isBusy.current = true;
      while (wanted.current !== null) {
        const current: { key: string; args: Args<M> } = wanted.current;
        wanted.current = null;
        try {
          const data = await engine.call(method, current.args);
          setAnswer({ key: current.key, data, error: null });
        } catch (error) {
          const known =
            error instanceof EngineError
              ? error
              : new EngineError({ code: 'internal', message: String(error), remedy: '', position: null });
          setAnswer((before) => ({ key: current.key, data: before?.data ?? null, error: known }));
        }
      }
      isBusy.current = false;
    };
    void ask();
  }, [engine, method, key]);

  return {
    data: key === null ? null : (answer?.data ?? null),
    isStale: key !== null && answer?.key !== key,
    error: answer?.key === key ? (answer?.error ?? null) : null,
  };
}
