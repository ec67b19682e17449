import { openWebSocket, type Socket } from './socket.ts';

/** Runs in a worker: one WebSocket, opened by the first order. See worker-socket.ts. */

export type SocketOrder =
  | { readonly kind: 'open'; readonly url: string; readonly protocols: readonly string[] }
  | { readonly kind: 'send'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'close' };

export type SocketNews =
  | { readonly kind: 'opened' }
  | { readonly kind: 'received'; readonly bytes: ArrayBuffer }
  | { readonly kind: 'closed' };

let socket: Socket | null = null;

function tell(news: SocketNews, transfer: Transferable[] = []): void {
  postMessage(news, { transfer });
}

addEventListener('message', ({ data }: MessageEvent<SocketOrder>) => {
  if (data.kind === 'open') {
    socket = openWebSocket(data.url, data.protocols, {
      opened: () => tell({ kind: 'opened' }),
      received: (bytes) => tell({ kind: 'received', bytes }, [bytes]),
      closed: () => tell({ kind: 'closed' }),
    });
  } else if (data.kind === 'send') socket?.send(data.bytes);
  else socket?.close();
});
