import { expect, it } from 'vitest';
import { windowOptions } from '../../../main/shell/window.ts';

it('opens a window whose page has a sandbox, an isolated bridge and no Node', () => {
  const { webPreferences } = windowOptions('/app/preload.cjs', false, true);
  expect(webPreferences).toEqual({
    preload: '/app/preload.cjs',
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
    devTools: false,
  });
});

it('has developer tools only while it is developed', () => {
  expect(windowOptions('', false, false).webPreferences.devTools).toBe(true);
});

it('stays hidden, on the ground of its theme, until the page has drawn itself', () => {
  expect(windowOptions('', true, true)).toMatchObject({ show: false, backgroundColor: '#121316' });
  expect(windowOptions('', false, true)).toMatchObject({ show: false, backgroundColor: '#f6f6f3' });
});

it('is never smaller than the design allows', () => {
  expect(windowOptions('', true, true)).toMatchObject({ minWidth: 1024, minHeight: 700 });
});
