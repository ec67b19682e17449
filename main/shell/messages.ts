import type { MenuLanguage } from '../../app/contract/bridge.ts';
import english from '../../app/locales/en.json';
import chinese from '../../app/locales/zh-CN.json';

/** The words of the menu and the dialogs, from the same files as the page's. */
export type ShellMessages = (typeof english)['menu'];

const MESSAGES: Readonly<Record<MenuLanguage, ShellMessages>> = {
  en: english.menu,
  'zh-CN': chinese.menu,
};

export const messagesIn = (language: MenuLanguage): ShellMessages => MESSAGES[language];

/** @param locale what the system says, e.g. "zh-CN" or "de" */
export const languageOf = (locale: string): MenuLanguage => (/^zh\b/i.test(locale) ? 'zh-CN' : 'en');
