import i18next from 'i18next';
import { initReactI18next, useTranslation } from 'react-i18next';
import type { Locale } from '../../app/domain/format.ts';
import english from '../../app/locales/en.json';
import chinese from '../../app/locales/zh-CN.json';
import { type LanguageChoice, useStore } from '../state/store.ts';

/** The language in force: the user's choice, or the first of the system's that is known. */
export function resolveLanguage(choice: LanguageChoice, preferred: readonly string[]): Locale {
  if (choice !== 'system') return choice;
  for (const language of preferred) {
    if (/^zh\b/i.test(language)) return 'zh-CN';
    if (/^en\b/i.test(language)) return 'en';
  }
  return 'en';
}

/** Loads the messages and follows the settings. `onChange` hears of each language, the first too. */
export async function startLanguage(onChange: (language: Locale) => void): Promise<void> {
  const current = () => resolveLanguage(useStore.getState().settings.language, navigator.languages);
  await i18next.use(initReactI18next).init({
    lng: current(),
    fallbackLng: 'en',
    // The charts speak in a namespace of their own.
    resources: {
      en: { translation: english, charts: english.charts },
      'zh-CN': { translation: chinese, charts: chinese.charts },
    },
    // React escapes; a number's unit is no markup.
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  const follow = () => {
    const language = current();
    document.documentElement.lang = language;
    onChange(language);
    if (i18next.language !== language) void i18next.changeLanguage(language);
  };
  follow();
  useStore.subscribe((state, before) => {
    if (state.settings.language !== before.settings.language) follow();
  });
}

export function useLocale(): Locale {
  const { i18n } = useTranslation();
  return i18n.language === 'zh-CN' ? 'zh-CN' : 'en';
}
