import type { BrowserWindowConstructorOptions } from 'electron';

/** The one window: a page without Node, in a sandbox, that only the preload's bridge connects to the rest. */
export function windowOptions(preload: string, isDark: boolean, isPackaged: boolean) {
  return {
    title: 'Strata',
    width: 1440,
    height: 900,
    minWidth: 1024,
    minHeight: 700,
    // Shown when the page has drawn itself, on the page's own ground, so that nothing flashes.
    show: false,
    backgroundColor: isDark ? '#121316' : '#f6f6f3',
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
      devTools: !isPackaged,
    },
  } satisfies BrowserWindowConstructorOptions;
}
