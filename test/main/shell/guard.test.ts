import type { App, Session } from 'electron';
import { describe, expect, it } from 'vitest';
import { denyPermissions, guardContents } from '../../../main/shell/guard.ts';
import { FakeContents, preventable } from './electron-fake.ts';

function guardedPage(): FakeContents {
  const contents = new FakeContents();
  const app = {
    on: (name: string, listener: (event: unknown, contents: unknown) => void) => {
      expect(name).toBe('web-contents-created');
      listener({}, contents);
    },
  };
  guardContents(app as unknown as Pick<App, 'on'>);
  return contents;
}

const FOREIGN = [
  'https://example.org/',
  'http://127.0.0.1:1234/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/html,x',
  'app://other/index.html',
  'app://strata/other.html',
  'app://strata.example.org/index.html',
  'not an address',
];

describe('a page of the application', () => {
  it('cannot be led to any other address', () => {
    const page = guardedPage();
    for (const url of FOREIGN) {
      const navigation = preventable({ url });
      page.emit('will-frame-navigate', navigation);
      expect(navigation.isPrevented, url).toBe(true);
    }
  });

  it('can be loaded anew, wherever it stands', () => {
    const page = guardedPage();
    for (const url of ['app://strata/index.html', 'app://strata/index.html?theme=dark#t1/map']) {
      const navigation = preventable({ url });
      page.emit('will-frame-navigate', navigation);
      expect(navigation.isPrevented, url).toBe(false);
    }
  });

  it('follows no redirect, attaches no web view and opens no window', () => {
    const page = guardedPage();
    for (const name of ['will-redirect', 'will-attach-webview']) {
      const event = preventable({ url: 'app://strata/index.html' });
      page.emit(name, event);
      expect(event.isPrevented, name).toBe(true);
    }
    expect(page.openHandler?.({ url: 'app://strata/index.html' })).toEqual({ action: 'deny' });
  });
});

type RequestHandler = NonNullable<Parameters<Session['setPermissionRequestHandler']>[0]>;
type CheckHandler = NonNullable<Parameters<Session['setPermissionCheckHandler']>[0]>;

function permissions() {
  let request: RequestHandler | null = null;
  let check: CheckHandler | null = null;
  let device: (() => boolean) | null = null;
  denyPermissions({
    setPermissionRequestHandler: (handler) => {
      request = handler;
    },
    setPermissionCheckHandler: (handler) => {
      check = handler;
    },
    setDevicePermissionHandler: (handler) => {
      device = handler as () => boolean;
    },
  });
  const page = new FakeContents();
  return {
    page,
    isGranted: (permission: string) => {
      let answer: boolean | null = null;
      request?.(page.asWebContents(), permission as never, (granted) => (answer = granted), {} as never);
      return answer;
    },
    isChecked: (permission: string, origin: string) =>
      check?.(null, permission as never, origin, {} as never),
    hasDevice: () => device?.(),
  };
}

describe('permissions', () => {
  it('are denied, asked for or checked', () => {
    const { isGranted, isChecked, hasDevice } = permissions();
    for (const permission of [
      'media',
      'geolocation',
      'notifications',
      'openExternal',
      'clipboard-read',
      'hid',
    ]) {
      expect(isGranted(permission), permission).toBe(false);
      expect(isChecked(permission, 'app://strata/'), permission).toBe(false);
    }
    expect(hasDevice()).toBe(false);
  });

  it('let our own page write text to the clipboard, which "Copy" needs', () => {
    const { page, isGranted, isChecked } = permissions();
    expect(isGranted('clipboard-sanitized-write')).toBe(true);
    expect(isChecked('clipboard-sanitized-write', 'app://strata/')).toBe(true);
    expect(isChecked('clipboard-sanitized-write', 'https://example.org/')).toBe(false);
    page.url = 'https://example.org/';
    expect(isGranted('clipboard-sanitized-write')).toBe(false);
  });
});
