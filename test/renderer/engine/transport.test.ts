import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket as NodeSocket, WebSocketServer } from 'ws';
import type { ShellBridge } from '../../../app/contract/bridge.ts';
import { decode, encode, WIRE_PROTOCOL } from '../../../app/contract/wire.ts';
import { createBridgeEngine } from '../../../renderer/engine/transport/desktop.ts';
import { createSocketEngine } from '../../../renderer/engine/transport/socket.ts';

// Node has no WebSocket of its own before version 22; this one has the browser's interface.
vi.stubGlobal('WebSocket', NodeSocket);

/** A server that answers `samples` and nothing else, on a port of its own. */
async function startServer(port = 0) {
  const server = createServer();
  const sockets = new WebSocketServer({ server, handleProtocols: () => WIRE_PROTOCOL });
  const connections: NodeSocket[] = [];
  sockets.on('connection', (connection) => {
    connections.push(connection);
    connection.on('message', (data: Buffer) => {
      const message = decode(data) as { id: number; method: string };
      if (message.method !== 'samples') return;
      connection.send(encode({ type: 'result', id: message.id, result: [{ name: 'one' }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, connections, server };
}

describe('the engine behind a socket', () => {
  const stops: (() => void)[] = [];
  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });

  it('waits for the connection, answers, and answers again after the connection was lost', async () => {
    const { port, connections, server } = await startServer();
    stops.push(() => server.close());
    const engine = createSocketEngine(`ws://127.0.0.1:${port}/socket`, 'token');
    const states: boolean[] = [];
    const reconnected = new Promise<void>((resolve) => {
      engine.onConnection = (isConnected) => {
        states.push(isConnected);
        if (isConnected && states.length > 1) resolve();
      };
    });
    expect(await engine.call('samples', {})).toEqual([{ name: 'one' }]);
    const lost = engine.call('list', {});
    connections[0]?.close();
    await expect(lost).rejects.toMatchObject({ code: 'connection-lost' });
    await reconnected;
    expect(states).toEqual([true, false, true]);
    expect(await engine.call('samples', {})).toEqual([{ name: 'one' }]);
    engine.close();
  });
});

describe('the engine behind the shell', () => {
  it('passes results, errors as errors, progress to its call, and cancels by id', async () => {
    let report: (id: number, progress: never) => void = () => {};
    const cancelled: number[] = [];
    const bridge = {
      onProgress: (listener) => {
        report = listener;
        return () => {};
      },
      cancel: (id) => cancelled.push(id),
      call: async (method, _args, id) => {
        report(id, { done: id } as never);
        if (method === 'samples') return { ok: true, result: [{ name: 'one' }] };
        return {
          ok: false,
          error: { code: 'file-not-found', message: 'No file.', remedy: '', position: null },
        };
      },
    } as Partial<ShellBridge> as ShellBridge;
    const engine = createBridgeEngine(bridge);
    const seen: unknown[] = [];
    expect(await engine.call('samples', {}, { onProgress: (progress) => seen.push(progress) })).toEqual([
      { name: 'one' },
    ]);
    expect(seen).toEqual([{ done: 1 }]);
    await expect(engine.call('list', {})).rejects.toMatchObject({ code: 'file-not-found' });
    const controller = new AbortController();
    controller.abort();
    await engine.call('samples', {}, { signal: controller.signal });
    expect(cancelled).toEqual([3]);
  });
});
