import { describe, expect, it, vi } from 'vitest';
import { createClient } from '../../../app/contract/client.ts';
import type { Args, CallOptions, Engine, MethodName } from '../../../app/contract/engine.ts';
import { EngineError } from '../../../app/contract/error.ts';
import type { EngineMessage } from '../../../app/contract/wire.ts';
import { createDispatcher, engineError } from '../../../main/engine/index.ts';

type Handler = (method: MethodName, args: unknown, options: CallOptions) => unknown;

/** A page and an engine, joined by the messages between them. */
function joined(handler: Handler) {
  const engine = {
    call: async (method: MethodName, args: Args<MethodName>, options: CallOptions = {}) =>
      handler(method, args, options),
  } as Engine;
  const sent: EngineMessage[] = [];
  const dispatcher = createDispatcher(engine, (message) => {
    sent.push(message);
    client.receive(message);
  });
  const client = createClient((message) => dispatcher.receive(structuredClone(message)));
  return { client, dispatcher, sent };
}

const lost = new EngineError({ code: 'connection-lost', message: 'Gone.', remedy: '', position: null });
const untilAborted = (signal: AbortSignal | undefined) =>
  new Promise((_, reject) =>
    signal?.addEventListener('abort', () => reject(engineError('cancelled', 'Cancelled.'))),
  );

describe('a client and a dispatcher', () => {
  it('answer each call with its own result, whatever the order', async () => {
    const answers = new Map<string, (value: unknown) => void>();
    const { client } = joined(
      (_, args) => new Promise((resolve) => answers.set((args as Args<'report'>).trace, resolve)),
    );
    const first = client.engine.call('report', { trace: 't1' });
    const second = client.engine.call('report', { trace: 't2' });
    answers.get('t2')?.('two');
    answers.get('t1')?.('one');
    expect(await Promise.all([first, second])).toEqual(['one', 'two']);
  });

  it('carry an error with its code, remedy and position', async () => {
    const { client } = joined(() => {
      throw engineError('too-odd', 'This is odd.', 'Make it even.', { byte: 3 });
    });
    const error = await client.engine.call('list', {}).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(EngineError);
    expect(error).toMatchObject({ code: 'too-odd', remedy: 'Make it even.', position: { byte: 3 } });
  });

  it('turn an unexpected exception into code "internal"', async () => {
    const { client } = joined(() => {
      throw new TypeError('oops');
    });
    await expect(client.engine.call('list', {})).rejects.toMatchObject({ code: 'internal' });
  });

  it('report progress before the result', async () => {
    const step = { stage: 'read', done: 1, total: 2, events: 3 } as const;
    const { client, sent } = joined((_, __, options) => {
      options.onProgress?.(step);
      return null;
    });
    const onProgress = vi.fn();
    await client.engine.call('open', { source: { kind: 'path', path: 'x' } }, { onProgress });
    expect(onProgress.mock.calls).toEqual([[step]]);
    expect(sent.map((message) => message.type)).toEqual(['progress', 'result']);
  });

  it('cancel a call when its signal aborts', async () => {
    const { client } = joined((_, __, { signal }) => untilAborted(signal));
    const controller = new AbortController();
    const call = client.engine.call('list', {}, { signal: controller.signal });
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('cancel a call whose signal had aborted before', async () => {
    const { client } = joined((_, __, { signal }) => untilAborted(signal));
    const call = client.engine.call('list', {}, { signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('abort everything and send nothing more once the page is gone', async () => {
    let seen: AbortSignal | undefined;
    const { client, dispatcher, sent } = joined((_, __, { signal }) => {
      seen = signal;
      return untilAborted(signal);
    });
    const call = client.engine.call('list', {});
    dispatcher.close();
    client.close(lost);
    await expect(call).rejects.toBe(lost);
    expect(seen?.aborted).toBe(true);
    await new Promise(setImmediate);
    expect(sent).toEqual([]);
    await expect(client.engine.call('list', {})).rejects.toBe(lost);
  });

  it.each([
    ['no object', 'call'],
    ['another type', { type: 'shutdown', id: 1 }],
    ['a method that is not in the contract', { type: 'call', id: 1, method: 'constructor', args: {} }],
    ['an id that is no number', { type: 'call', id: 'x', method: 'list', args: {} }],
  ])('ignore a message with %s', (_, message) => {
    const handler = vi.fn();
    const { dispatcher, sent } = joined(handler);
    dispatcher.receive(message);
    expect(handler).not.toHaveBeenCalled();
    expect(sent).toEqual([]);
  });
});
