import type { MenuItemConstructorOptions } from 'electron';
import type { ShellMessages } from './messages.ts';

export interface MenuOptions {
  readonly messages: ShellMessages;
  readonly isMac: boolean;
  readonly isPackaged: boolean;
  openFiles(): void;
}

/**
 * The native menu. Keys that the page has for itself (closing a trace, zooming the range, the scale of the
 * interface) are not taken away from it here.
 */
export function menuTemplate(options: MenuOptions): MenuItemConstructorOptions[] {
  const { messages, isMac } = options;
  return [
    ...(isMac ? [applicationMenu(messages)] : []),
    fileMenu(options),
    editMenu(messages),
    viewMenu(options),
    windowMenu(messages, isMac),
    ...(isMac ? [] : [{ label: messages.help, submenu: [about(messages)] }]),
  ];
}

const SEPARATOR: MenuItemConstructorOptions = { type: 'separator' };

const about = (messages: ShellMessages): MenuItemConstructorOptions => ({
  role: 'about',
  label: messages.about,
});

const applicationMenu = (messages: ShellMessages): MenuItemConstructorOptions => ({
  label: 'Strata',
  submenu: [
    about(messages),
    SEPARATOR,
    { role: 'services', label: messages.services },
    SEPARATOR,
    { role: 'hide', label: messages.hide },
    { role: 'hideOthers', label: messages.hideOthers },
    { role: 'unhide', label: messages.unhide },
    SEPARATOR,
    { role: 'quit', label: messages.quit },
  ],
});

const fileMenu = ({ messages, isMac, openFiles }: MenuOptions): MenuItemConstructorOptions => ({
  label: messages.file,
  submenu: [
    { label: messages.open, accelerator: 'CmdOrCtrl+O', click: openFiles },
    ...(isMac ? [] : [SEPARATOR, { role: 'quit', label: messages.quit } as const]),
  ],
});

const editMenu = (messages: ShellMessages): MenuItemConstructorOptions => ({
  label: messages.edit,
  submenu: [
    { role: 'undo', label: messages.undo },
    { role: 'redo', label: messages.redo },
    SEPARATOR,
    { role: 'cut', label: messages.cut },
    { role: 'copy', label: messages.copy },
    { role: 'paste', label: messages.paste },
    { role: 'selectAll', label: messages.selectAll },
  ],
});

const viewMenu = ({ messages, isPackaged }: MenuOptions): MenuItemConstructorOptions => ({
  label: messages.view,
  submenu: [
    { role: 'reload', label: messages.reload },
    { role: 'togglefullscreen', label: messages.fullScreen },
    ...(isPackaged ? [] : [SEPARATOR, { role: 'toggleDevTools', label: messages.developerTools } as const]),
  ],
});

const windowMenu = (messages: ShellMessages, isMac: boolean): MenuItemConstructorOptions => ({
  label: messages.window,
  submenu: [
    { role: 'minimize', label: messages.minimize },
    ...(isMac ? [{ role: 'zoom', label: messages.zoom } as const] : []),
    // Ctrl+W closes a trace; the window takes the longer key.
    { role: 'close', label: messages.close, accelerator: 'CmdOrCtrl+Shift+W' },
  ],
});
