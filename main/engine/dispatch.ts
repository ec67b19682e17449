import * as v from 'valibot';
import { type Engine, type MethodName, methods } from '../../app/contract/engine.ts';
import type { EngineMessage } from '../../app/contract/wire.ts';
import { toEngineError } from './errors.ts';

/** The far end of `createClient`: runs the calls that arrive and sends what they yield. */
export interface Dispatcher {
  /** One message from the page; anything that is not a message of the contract is ignored. */
  receive(message: unknown): void;
  /** Cancels what is under way: the page is gone. */
  close(): void;
}

const id = v.pipe(v.number(), v.integer(), v.minValue(0));
const methodName = v.picklist(Object.keys(methods) as MethodName[]);
/** Arguments are checked by the engine itself, wherever they come from. */
const clientMessage = v.variant('type', [
  v.object({ type: v.literal('call'), id, method: methodName, args: v.unknown() }),
  v.object({ type: v.literal('cancel'), id }),
]);

export function createDispatcher(engine: Engine, send: (message: EngineMessage) => void): Dispatcher {
  const running = new Map<number, AbortController>();
  let isClosed = false;
  const sendIfOpen = (message: EngineMessage) => {
    if (!isClosed) send(message);
  };

  const run = async (call: number, method: MethodName, args: unknown) => {
    const controller = new AbortController();
    running.set(call, controller);
    try {
      const result = await engine.call(method, args as never, {
        signal: controller.signal,
        onProgress: (progress) => sendIfOpen({ type: 'progress', id: call, progress }),
      });
      sendIfOpen({ type: 'result', id: call, result });
    } catch (error) {
      sendIfOpen({ type: 'error', id: call, error: toEngineError(error).toJSON() });
    } finally {
      running.delete(call);
    }
  };

  return {
    receive(message) {
      const parsed = v.safeParse(clientMessage, message);
      if (!parsed.success) return;
      const { output } = parsed;
      if (output.type === 'cancel') running.get(output.id)?.abort();
      else if (!running.has(output.id)) void run(output.id, output.method, output.args);
    },
    close() {
      isClosed = true;
      for (const controller of running.values()) controller.abort();
    },
  };
}
