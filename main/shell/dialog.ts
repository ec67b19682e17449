import type { OpenDialogOptions } from 'electron';
import type { ShellMessages } from './messages.ts';

/** Names that captures usually have. Formats are told by content, so every other name can be picked too. */
const EXTENSIONS = ['pickle', 'pkl', 'pt', 'json', 'html', 'gz', 'zip', 'bin', 'pb', 'prof'];

/** macOS alone picks files and folders in one dialog; elsewhere a folder is dropped or named. */
export const openDialogOptions = (messages: ShellMessages, isMac: boolean): OpenDialogOptions => ({
  title: messages.openTitle,
  properties: isMac ? ['openFile', 'openDirectory', 'multiSelections'] : ['openFile', 'multiSelections'],
  filters: [
    { name: messages.captures, extensions: EXTENSIONS },
    { name: messages.allFiles, extensions: ['*'] },
  ],
});
