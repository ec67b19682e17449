import { useTranslation } from 'react-i18next';

/** What the engine says in English, with the code that names it. */
export interface EngineWords {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
}

/**
 * The engine's errors and warnings in the language of the page. The engine writes English with all the details; other
 * languages say the same by its code (`errors.<code>`), and show the English where they do not know one.
 */
export function useErrorWords(): (words: EngineWords) => {
  readonly message: string;
  readonly remedy: string;
} {
  const { i18n } = useTranslation();
  return ({ code, message, remedy = '' }) => {
    const translated = (part: 'message' | 'remedy', english: string) => {
      const key = `errors.${code}.${part}`;
      return i18n.exists(key) ? i18n.t(key as never) : english;
    };
    return { message: translated('message', message), remedy: translated('remedy', remedy) };
  };
}
