import type { App, Session, WebContents } from 'electron';
import { isOwnPage, ORIGIN } from './origin.ts';

/** Keeps every page of the application on our own document: no other address, window, frame or web view. */
export function guardContents(app: Pick<App, 'on'>): void {
  app.on('web-contents-created', (_event, contents) => guard(contents));
}

function guard(contents: WebContents): void {
  contents.on('will-frame-navigate', (details) => {
    if (!isOwnPage(details.url)) details.preventDefault();
  });
  contents.on('will-redirect', (details) => details.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
}

/** Writing text to the clipboard is what "Copy" does; the page needs nothing else. */
const ALLOWED = 'clipboard-sanitized-write';

type Permissions = Pick<
  Session,
  'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'
>;

/** Refuses camera, place, notifications, devices and everything else that a page can ask for. */
export function denyPermissions(session: Permissions): void {
  session.setPermissionRequestHandler((contents, permission, answer) => {
    answer(permission === ALLOWED && isOwnPage(contents.getURL()));
  });
  session.setPermissionCheckHandler((_contents, permission, origin) => {
    return permission === ALLOWED && isSameOrigin(origin);
  });
  session.setDevicePermissionHandler(() => false);
}

/** Chromium gives the origin with or without a closing slash. */
const isSameOrigin = (origin: string) => origin.replace(/\/$/, '') === ORIGIN;
