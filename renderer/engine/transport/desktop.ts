import type { ShellBridge } from '../../../app/contract/bridge.ts';
import type {
  Args,
  CallOptions,
  Engine,
  MethodName,
  ProgressInfo,
  Results,
} from '../../../app/contract/engine.ts';
import { EngineError } from '../../../app/contract/error.ts';
import type { ChosenFile, Platform } from '../platform.ts';

/** The page in the desktop shell: calls go through the bridge that the preload exposes. */
export function createDesktopPlatform(bridge: ShellBridge): Platform {
  return {
    kind: 'desktop',
    engine: createBridgeEngine(bridge),
    isMac: bridge.platform === 'darwin',
    pickFiles: async () => (await bridge.pickFiles()).map((path) => atPath(path, null)),
    fromDrop: (file) => atPath(bridge.pathForFile(file), file),
    fromDroppedFolder: null,
    setLanguage: (language) => bridge.setLanguage(language),
    reconnect: () => {},
    start(events) {
      bridge.onEngineRestarted(events.onEngineRestarted);
      bridge.onOpenRequest((paths) => events.onOpenRequest(paths.map((path) => atPath(path, null))));
    },
  };
}

function atPath(path: string, file: File | null): ChosenFile {
  return {
    name: path.split(/[\\/]/).at(-1) || (file?.name ?? path),
    bytes: file?.size ?? null,
    source: () =>
      path === ''
        ? Promise.reject(
            new EngineError({
              code: 'drop-without-file',
              message: 'What was dropped lies in no file.',
              remedy: 'Save it to a file and open that.',
              position: null,
            }),
          )
        : Promise.resolve({ kind: 'path', path }),
  };
}

export function createBridgeEngine(bridge: ShellBridge): Engine {
  const listeners = new Map<number, (progress: ProgressInfo) => void>();
  let lastId = 0;
  bridge.onProgress((id, progress) => listeners.get(id)?.(progress));
  return {
    async call<M extends MethodName>(
      method: M,
      args: Args<M>,
      options: CallOptions = {},
    ): Promise<Results[M]> {
      const id = ++lastId;
      const cancel = () => bridge.cancel(id);
      if (options.onProgress !== undefined) listeners.set(id, options.onProgress);
      options.signal?.addEventListener('abort', cancel, { once: true });
      try {
        const outcome = bridge.call(method, args, id);
        if (options.signal?.aborted === true) cancel();
        const answer = await outcome;
        if (!answer.ok) throw new EngineError(answer.error);
        return answer.result as Results[M];
      } finally {
        listeners.delete(id);
        options.signal?.removeEventListener('abort', cancel);
      }
    },
  };
}
