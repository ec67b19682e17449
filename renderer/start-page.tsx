import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { startTheme } from './design/theme.ts';
import type { Platform } from './engine/platform.ts';
import { startLanguage } from './i18n/i18n.ts';
import { startRecents } from './state/recents.ts';
import { startSettings } from './state/stored-settings.ts';

/** Reads what is remembered, then shows the page. */
export async function startPage(platform: Platform): Promise<void> {
  startSettings();
  startRecents();
  startTheme();
  await startLanguage(platform.setLanguage);
  const root = document.getElementById('root');
  if (root === null) throw new Error('The page has no #root.');
  createRoot(root).render(<App platform={platform} />);
}
