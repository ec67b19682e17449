import * as v from 'valibot';

/** What the page remembers in the browser's local storage, checked when it is read: another version may have written it. */
export function readStored<T>(key: string, schema: v.GenericSchema<unknown, T>, fallback: T): T {
  try {
    const parsed = v.safeParse(schema, JSON.parse(localStorage.getItem(key) ?? 'null'));
    return parsed.success ? parsed.output : fallback;
  } catch {
    return fallback;
  }
}

/** Storage may be full or denied; then nothing is remembered. */
export function writeStored(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Nothing depends on it within this session.
  }
}
