import { formatCount, plainSpaces } from '../../app/domain/format.ts';
import english from '../../app/locales/en.json';

/** The sentences of the page, so that the terminal says the same in the same words. */
const sentences: unknown = english.whatIf;

/**
 * A sentence of `whatIf` in the English messages, its places filled. `count` chooses the plural. Emphasis is left out.
 * A path that does not exist is a programming error.
 */
export function sentence(path: string, values: Readonly<Record<string, string | number>> = {}): string {
  const { count } = values;
  const forms =
    typeof count !== 'number'
      ? [path]
      : [count === 0 ? `${path}_zero` : '', count === 1 ? `${path}_one` : '', `${path}_other`, path];
  const text = forms.map(messageAt).find((message) => message !== null);
  if (typeof text !== 'string') throw new Error(`There is no message whatIf.${path}.`);
  const filled = text.replaceAll(/{{(\w+)[^}]*}}/g, (_, name: string) => {
    const value = values[name] ?? '';
    return typeof value === 'number' ? formatCount(value) : value;
  });
  return plainSpaces(filled.replaceAll('**', ''));
}

function messageAt(path: string): string | null {
  let found = sentences;
  for (const part of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return null;
    found = (found as Record<string, unknown>)[part];
  }
  return typeof found === 'string' ? found : null;
}
