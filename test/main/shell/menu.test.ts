import type { MenuItemConstructorOptions } from 'electron';
import { describe, expect, it, vi } from 'vitest';
import { MENU_LANGUAGES } from '../../../app/contract/bridge.ts';
import { openDialogOptions } from '../../../main/shell/dialog.ts';
import { menuTemplate } from '../../../main/shell/menu.ts';
import { languageOf, messagesIn } from '../../../main/shell/messages.ts';

function items(language: 'en' | 'zh-CN', isMac: boolean, openFiles = () => {}): MenuItemConstructorOptions[] {
  const template = menuTemplate({ messages: messagesIn(language), isMac, isPackaged: true, openFiles });
  return template.flatMap((menu) => [menu, ...(menu.submenu as MenuItemConstructorOptions[])]);
}

describe('the menu', () => {
  it('has a label for every item in every language', () => {
    for (const language of MENU_LANGUAGES) {
      for (const isMac of [false, true]) {
        const named = items(language, isMac).filter((item) => item.type !== 'separator');
        expect(named.every((item) => typeof item.label === 'string' && item.label !== '')).toBe(true);
      }
    }
  });

  it('speaks Chinese where the system does', () => {
    expect(['zh', 'zh-CN', 'zh-Hans-CN'].map(languageOf)).toEqual(['zh-CN', 'zh-CN', 'zh-CN']);
    expect(['en-GB', 'de', ''].map(languageOf)).toEqual(['en', 'en', 'en']);
    expect(items('zh-CN', false)[0]?.label).toBe('文件');
  });

  it('opens captures', () => {
    const openFiles = vi.fn();
    const open = items('en', false, openFiles).find((item) => item.accelerator === 'CmdOrCtrl+O');
    open?.click?.({} as never, undefined, {} as never);
    expect(openFiles).toHaveBeenCalledOnce();
  });

  it('takes no key that the page has for itself', () => {
    const taken = items('en', false).map((item) => item.accelerator);
    for (const key of ['CmdOrCtrl+W', 'CmdOrCtrl+K', 'CmdOrCtrl+0', 'CmdOrCtrl+Plus']) {
      expect(taken).not.toContain(key);
    }
    const roles = items('en', false).map((item) => item.role);
    for (const role of ['zoomIn', 'zoomOut', 'resetZoom'] as const) expect(roles).not.toContain(role);
  });

  it('has developer tools only while the application is developed', () => {
    expect(items('en', true).some((item) => item.role === 'toggleDevTools')).toBe(false);
  });
});

it('lets the open dialog pick several files, of any name, and folders where one dialog can do both', () => {
  const options = openDialogOptions(messagesIn('en'), false);
  expect(options.properties).toEqual(['openFile', 'multiSelections']);
  expect(openDialogOptions(messagesIn('en'), true).properties).toContain('openDirectory');
  expect(options.filters?.at(-1)?.extensions).toEqual(['*']);
});
