import type { Source } from '../../../app/contract/engine.ts';
import { EngineError, type EngineErrorData } from '../../../app/contract/error.ts';
import type { ChosenFile, Platform } from '../platform.ts';
import { readDroppedFolder } from './dropped-folder.ts';
import { createSocketEngine } from './socket.ts';
import { openWorkerSocket } from './worker-socket.ts';

const TOKEN_KEY = 'strata.token';

/** The token comes in the address's fragment, which no server sees, and stays for reloads of this tab only. */
export function takeToken(): string {
  const fromAddress = /(?:^#|&)token=([\w-]+)/.exec(location.hash)?.[1];
  if (fromAddress !== undefined) {
    sessionStorage.setItem(TOKEN_KEY, fromAddress);
    history.replaceState(null, '', location.pathname + location.search);
  }
  return fromAddress ?? sessionStorage.getItem(TOKEN_KEY) ?? '';
}

/** A log directory on the server's machine, which the address names beside the token. */
export function folderOf(fragment: string): string | null {
  const named = /(?:^#|&)folder=([^&]+)/.exec(fragment)?.[1];
  return named === undefined ? null : decodeURIComponent(named);
}

function onServer(path: string): ChosenFile {
  const name = path.split(/[\\/]/).at(-1) || path;
  return { name, bytes: null, source: async () => ({ kind: 'path', path }) };
}

/** The page in a browser: the engine is behind a WebSocket, and files are handed over by upload. */
export function createBrowserPlatform(): Platform {
  const folder = folderOf(location.hash);
  const token = takeToken();
  const address = new URL('socket', location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  const engine = createSocketEngine(address.href, token, openWorkerSocket);
  return {
    kind: 'browser',
    engine,
    isMac: /mac/i.test(navigator.userAgent),
    pickFiles: async () => (await pickByInput()).map((file) => uploadOf(file, token)),
    fromDrop: (file) => uploadOf(file, token),
    fromDroppedFolder: (folder) => readDroppedFolder(folder, (file) => uploadOf(file, token)),
    setLanguage: () => {},
    reconnect: engine.reconnect,
    start(events) {
      engine.onConnection = events.onConnection;
      if (folder !== null) events.onOpenRequest([onServer(folder)]);
    },
  };
}

/** In the page while it is asked: one that only its own listeners know of may be gone before anyone answers. */
function pickByInput(): Promise<readonly File[]> {
  return new Promise((resolve) => {
    const input = document.createElement('input');
    const answer = (files: readonly File[]) => {
      input.remove();
      resolve(files);
    };
    input.type = 'file';
    input.multiple = true;
    input.hidden = true;
    input.onchange = () => answer([...(input.files ?? [])]);
    input.oncancel = () => answer([]);
    document.body.append(input);
    input.click();
  });
}

function uploadOf(file: File, token: string): ChosenFile {
  return {
    name: file.name,
    bytes: file.size,
    source: (signal, onSent) => upload(file, token, signal, onSent),
  };
}

/** XMLHttpRequest, because fetch does not tell how much of a body was sent. */
function upload(
  file: File,
  token: string,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<Source> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `upload?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader('authorization', `Bearer ${token}`);
    request.responseType = 'json';
    request.upload.onprogress = (event) => onSent(event.loaded);
    request.onload = () => {
      if (request.status === 200) resolve({ kind: 'upload', id: (request.response as { id: string }).id });
      else reject(uploadError(request.status, request.response));
    };
    request.onerror = () => reject(uploadError(0, null));
    request.onabort = () => reject(uploadError(-1, null));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}

function uploadError(status: number, response: unknown): EngineError {
  if (status === -1) {
    return new EngineError({
      code: 'cancelled',
      message: 'Opening was cancelled.',
      remedy: '',
      position: null,
    });
  }
  const data = response as Partial<EngineErrorData> | null;
  if (typeof data?.code === 'string' && typeof data.message === 'string') {
    return new EngineError({
      code: data.code,
      message: data.message,
      remedy: data.remedy ?? '',
      position: data.position ?? null,
    });
  }
  return new EngineError({
    code: 'upload-failed',
    message: `The file did not reach the server${status === 0 ? '' : ` (HTTP ${status})`}.`,
    remedy: 'See that the server still runs, then drop the file again.',
    position: null,
  });
}
