import { useSyncExternalStore } from 'react';
import { type ThemeChoice, useStore } from '../state/store.ts';

/** The theme in force, after "system" is resolved. It is the `data-theme` of the root element. */
export type Theme = 'light' | 'dark' | 'contrast';

export function resolveTheme(choice: ThemeChoice, wantsDark: boolean, wantsContrast: boolean): Theme {
  if (choice !== 'system') return choice;
  if (wantsContrast) return 'contrast';
  return wantsDark ? 'dark' : 'light';
}

let theme: Theme = 'light';
const listeners = new Set<() => void>();

/** Keeps the root element's theme as the settings and the system say. Call once, before the first render. */
export function startTheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const contrast = matchMedia('(prefers-contrast: more)');
  const apply = () => {
    theme = resolveTheme(useStore.getState().settings.theme, dark.matches, contrast.matches);
    document.documentElement.dataset['theme'] = theme;
    for (const listener of listeners) listener();
  };
  apply();
  dark.addEventListener('change', apply);
  contrast.addEventListener('change', apply);
  matchMedia('(forced-colors: active)').addEventListener('change', apply);
  useStore.subscribe(apply);
}

export function useTheme(): Theme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => theme,
  );
}
