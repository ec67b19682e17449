import { describe, expect, it, vi } from 'vitest';
import type { CallOutcome } from '../../../app/contract/bridge.ts';
import type { CallOptions, Engine } from '../../../app/contract/engine.ts';
import { EngineError } from '../../../app/contract/error.ts';
import { CHANNELS } from '../../../main/shell/channels.ts';
import { type IpcHandlers, registerIpc } from '../../../main/shell/ipc.ts';
import { FakeContents, type FakeSender, fakeIpcMain, senderAt } from './electron-fake.ts';

interface Call {
  readonly method: string;
  readonly args: unknown;
  readonly options: CallOptions;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** An engine that keeps its calls open until the test answers them. */
function openEngine() {
  const calls: Call[] = [];
  const engine = {
    call: (method: string, args: unknown, options: CallOptions = {}) =>
      new Promise((resolve, reject) => calls.push({ method, args, options, resolve, reject })),
  };
  return { engine: engine as Engine, calls };
}

function shell() {
  const { engine, calls } = openEngine();
  const fake = fakeIpcMain();
  const handlers = {
    engine,
    pickFiles: vi.fn(async () => ['/captures/one.pickle']),
    onListening: vi.fn(),
    onLanguage: vi.fn(),
  } satisfies IpcHandlers;
  registerIpc(fake.ipcMain, handlers);
  const call = (sender: FakeSender, id: unknown, method: unknown, args: unknown) =>
    fake.invoke(CHANNELS.call, sender, id, method, args) as Promise<CallOutcome>;
  return { ...fake, handlers, calls, call };
}

const OWN = 'app://strata';

async function code(outcome: Promise<CallOutcome>): Promise<string | null> {
  const settled = await outcome;
  return settled.ok ? null : settled.error.code;
}

describe('calls from the page', () => {
  it('reach the engine and come back as an outcome', async () => {
    const { call, calls } = shell();
    const outcome = call(senderAt(OWN), 1, 'close', { trace: 't1' });
    calls[0]?.resolve(null);
    expect(await outcome).toEqual({ ok: true, result: null });
    expect(calls[0]).toMatchObject({ method: 'close', args: { trace: 't1' } });
  });

  it('are refused from every other origin', async () => {
    const { call, calls } = shell();
    for (const origin of ['https://example.org', 'app://other', 'http://strata', 'null', '']) {
      await expect(call(senderAt(origin), 1, 'list', {})).rejects.toThrow('Only the page of Strata');
    }
    expect(calls).toEqual([]);
  });

  it('are refused from a frame inside the page and from a frame that is gone', async () => {
    const { call } = shell();
    const parent = { origin: OWN } as never;
    await expect(call(senderAt(OWN, new FakeContents(), parent), 1, 'list', {})).rejects.toThrow();
    const gone = { event: { sender: new FakeContents(), senderFrame: null } };
    await expect(call(gone, 1, 'list', {})).rejects.toThrow();
  });

  it('are refused for a method that the contract does not have', async () => {
    const { call, calls } = shell();
    for (const method of ['eval', 'constructor', '__proto__', 'toString', 7, null, undefined, ['list']]) {
      expect(await code(call(senderAt(OWN), 1, method, {}))).toBe('unknown-method');
    }
    expect(calls).toEqual([]);
  });

  it('are refused for arguments that do not fit the schema', async () => {
    const { call, calls } = shell();
    const wrong: [string, unknown][] = [
      ['open', {}],
      ['open', { source: { kind: 'path', path: '' } }],
      ['open', { source: { kind: 'url', url: 'https://example.org' } }],
      ['close', { trace: '../t1' }],
      ['state', { trace: 't1', device: 0, event: 0.5 }],
      ['state', { trace: 't1', device: -1, event: 0 }],
      ['list', null],
      ['list', undefined],
    ];
    for (const [method, args] of wrong) {
      expect(await code(call(senderAt(OWN), 1, method, args)), method).toBe('invalid-arguments');
    }
    expect(calls).toEqual([]);
  });

  it('drop what the schema does not name', async () => {
    const { call, calls } = shell();
    void call(senderAt(OWN), 1, 'close', { trace: 't1', extra: 'x' });
    expect(calls[0]?.args).toEqual({ trace: 't1' });
  });

  it('are refused without a number of their own', async () => {
    const { call } = shell();
    void call(senderAt(OWN), 1, 'list', {});
    for (const id of [1, -1, 1.5, '2', null]) {
      expect(await code(call(senderAt(OWN), id, 'list', {}))).toBe('invalid-call');
    }
  });

  it('pass on the engine’s own errors as data', async () => {
    const { call, calls } = shell();
    const data = { code: 'no-such-file', message: 'No.', remedy: 'Look.', position: { byte: 7 } };
    const outcome = call(senderAt(OWN), 1, 'list', {});
    calls[0]?.reject(new EngineError(data));
    expect(await outcome).toEqual({ ok: false, error: data });
  });

  it('report progress to the page that called', async () => {
    const { call, calls } = shell();
    const sender = senderAt(OWN);
    void call(sender, 5, 'open', { source: { kind: 'sample', name: 'small' } });
    const progress = { stage: 'read', done: 1, total: 2, events: 3 } as const;
    calls[0]?.options.onProgress?.(progress);
    expect(sender.event.sender.sent).toEqual([[CHANNELS.progress, 5, progress]]);
  });

  it('can be cancelled by number, from our page only', () => {
    const { call, calls, send } = shell();
    void call(senderAt(OWN), 5, 'list', {});
    send(CHANNELS.cancel, senderAt('https://example.org'), 5);
    send(CHANNELS.cancel, senderAt(OWN), 6);
    expect(calls[0]?.options.signal?.aborted).toBe(false);
    send(CHANNELS.cancel, senderAt(OWN), 5);
    expect(calls[0]?.options.signal?.aborted).toBe(true);
  });

  it('are cancelled when the page is loaded anew, whose numbers start again', () => {
    const { call, calls } = shell();
    const sender = senderAt(OWN);
    void call(sender, 1, 'list', {});
    sender.event.sender.emit('did-start-navigation', { isMainFrame: true, isSameDocument: true });
    expect(calls[0]?.options.signal?.aborted).toBe(false);
    sender.event.sender.emit('did-start-navigation', { isMainFrame: true, isSameDocument: false });
    expect(calls[0]?.options.signal?.aborted).toBe(true);
    void call(sender, 1, 'samples', {});
    expect(calls[1]?.method).toBe('samples');
  });
});

describe('the other channels', () => {
  it('are exactly these', () => {
    expect(shell().channels().sort()).toEqual(
      [CHANNELS.call, CHANNELS.pickFiles, CHANNELS.cancel, CHANNELS.listening, CHANNELS.language].sort(),
    );
  });

  it('show the open dialog to our page only', async () => {
    const { invoke, handlers } = shell();
    await expect(invoke(CHANNELS.pickFiles, senderAt('https://example.org'))).rejects.toThrow();
    expect(handlers.pickFiles).not.toHaveBeenCalled();
    expect(await invoke(CHANNELS.pickFiles, senderAt(OWN))).toEqual(['/captures/one.pickle']);
  });

  it('take only the languages there are', () => {
    const { send, handlers } = shell();
    send(CHANNELS.language, senderAt(OWN), 'fr');
    send(CHANNELS.language, senderAt('https://example.org'), 'en');
    expect(handlers.onLanguage).not.toHaveBeenCalled();
    send(CHANNELS.language, senderAt(OWN), 'zh-CN');
    expect(handlers.onLanguage).toHaveBeenCalledWith('zh-CN');
  });

  it('hear that the page listens', () => {
    const { send, handlers } = shell();
    send(CHANNELS.listening, senderAt('https://example.org'));
    expect(handlers.onListening).not.toHaveBeenCalled();
    send(CHANNELS.listening, senderAt(OWN));
    expect(handlers.onListening).toHaveBeenCalledOnce();
  });
});
