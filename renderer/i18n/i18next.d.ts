import 'i18next';
import type english from '../../app/locales/en.json';

/** Keys are checked by the compiler: a message that does not exist is an error where it is used. */
declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof english };
    returnNull: false;
  }
}
