import type { Args, CallOptions, Engine, MethodName, ProgressInfo, Results } from './engine.ts';
import { EngineError } from './error.ts';
import type { CallMessage, ClientMessage, EngineMessage } from './wire.ts';

/** An `Engine` at the near end of any transport that carries the messages of wire.ts in order. */
export interface Client {
  readonly engine: Engine;
  /** To be called with each message that arrives. */
  receive(message: EngineMessage): void;
  /** Rejects what is under way and every later call: the transport is gone. */
  close(reason: EngineError): void;
}

interface Pending {
  readonly resolve: (result: Results[MethodName]) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: ((progress: ProgressInfo) => void) | undefined;
  readonly forget: () => void;
}

export function createClient(send: (message: ClientMessage) => void): Client {
  const pending = new Map<number, Pending>();
  let nextId = 1;
  let closedBy: EngineError | null = null;

  const settle = (id: number): Pending | undefined => {
    const call = pending.get(id);
    pending.delete(id);
    call?.forget();
    return call;
  };

  const call = <M extends MethodName>(method: M, args: Args<M>, options: CallOptions = {}) =>
    new Promise<Results[M]>((resolve, reject) => {
      if (closedBy !== null) return reject(closedBy);
      const id = nextId++;
      const cancel = () => send({ type: 'cancel', id });
      options.signal?.addEventListener('abort', cancel, { once: true });
      const forget = () => options.signal?.removeEventListener('abort', cancel);
      const take = (result: Results[MethodName]) => resolve(result as Results[M]);
      pending.set(id, { resolve: take, reject, onProgress: options.onProgress, forget });
      send({ type: 'call', id, method, args } as CallMessage);
      if (options.signal?.aborted === true) cancel();
    });

  return {
    engine: { call },
    receive(message) {
      if (message.type === 'progress') pending.get(message.id)?.onProgress?.(message.progress);
      else if (message.type === 'result') settle(message.id)?.resolve(message.result);
      else settle(message.id)?.reject(new EngineError(message.error));
    },
    close(reason) {
      closedBy = reason;
      for (const id of [...pending.keys()]) settle(id)?.reject(reason);
    },
  };
}
