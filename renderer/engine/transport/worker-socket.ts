import type { OpenSocket } from './socket.ts';
import type { SocketNews, SocketOrder } from './socket-worker.ts';

/**
 * A WebSocket in a worker. Answers are pictures of megabytes, and taking one in costs more than a frame has; from the
 * worker they are handed over without a copy.
 */
export const openWorkerSocket: OpenSocket = (url, protocols, events) => {
  const worker = new Worker(new URL('./socket-worker.ts', import.meta.url), { type: 'module' });
  const order = (what: SocketOrder, transfer: Transferable[] = []) => worker.postMessage(what, transfer);
  const end = () => {
    worker.terminate();
    events.closed();
  };
  worker.onmessage = ({ data }: MessageEvent<SocketNews>) => {
    if (data.kind === 'opened') events.opened();
    else if (data.kind === 'received') events.received(data.bytes);
    else end();
  };
  worker.onerror = end;
  order({ kind: 'open', url, protocols });
  return {
    send: (bytes) => order({ kind: 'send', bytes }, [bytes.buffer]),
    close: () => order({ kind: 'close' }),
  };
};
