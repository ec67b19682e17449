import type { Platform } from './engine/platform.ts';
import { createBrowserPlatform } from './engine/transport/browser.ts';
import { createDesktopPlatform } from './engine/transport/desktop.ts';
import { startPage } from './start-page.tsx';

const platform: Platform =
  window.strata === undefined ? createBrowserPlatform() : createDesktopPlatform(window.strata);
await startPage(platform);
