import { contextBridge, type IpcRendererEvent, ipcRenderer, webUtils } from 'electron';
import type { ShellBridge, Unsubscribe } from '../../app/contract/bridge.ts';
import { CHANNELS } from './channels.ts';

/** Listens without handing Electron's event, and through it ipcRenderer, to the page. */
function listen<Values extends unknown[]>(
  channel: string,
  listener: (...values: Values) => void,
): Unsubscribe {
  const forward = (_event: IpcRendererEvent, ...values: unknown[]) => listener(...(values as Values));
  ipcRenderer.on(channel, forward);
  return () => ipcRenderer.off(channel, forward);
}

const bridge: ShellBridge = {
  platform: process.platform,
  call: (method, args, id) => ipcRenderer.invoke(CHANNELS.call, id, method, args),
  cancel: (id) => ipcRenderer.send(CHANNELS.cancel, id),
  onProgress: (listener) => listen(CHANNELS.progress, listener),
  onEngineRestarted: (listener) => listen(CHANNELS.engineRestarted, listener),
  pathForFile: (file) => webUtils.getPathForFile(file),
  pickFiles: () => ipcRenderer.invoke(CHANNELS.pickFiles),
  onOpenRequest: (listener) => {
    const unsubscribe = listen(CHANNELS.openRequest, listener);
    ipcRenderer.send(CHANNELS.listening);
    return unsubscribe;
  },
  setLanguage: (language) => ipcRenderer.send(CHANNELS.language, language),
};

contextBridge.exposeInMainWorld('strata', bridge);
