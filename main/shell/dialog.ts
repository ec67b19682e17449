import type { OpenDialogOptions } from 'electron';
import type { ShellMessages } from './messages.ts';

/** Names that captures usually have. Formats are told by content, so every other name can be picked too. */
const EXTENSIONS = ['pickle', 'pkl', 'pt', 'json', 'html', 'gz', 'zip', 'bin'];

export const openDialogOptions = (messages: ShellMessages): OpenDialogOptions => ({
  title: messages.openTitle,
  properties: ['openFile', 'multiSelections'],
  filters: [
    { name: messages.captures, extensions: EXTENSIONS },
    { name: messages.allFiles, extensions: ['*'] },
  ],
});
