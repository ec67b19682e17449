import type { Words } from './use-words.ts';

/** As native/capture/generic_rows.cc names stretches of which events are missing. */
const GAP = /^gap: (?:([\d,]+) events?|an unknown number of events) missing(?: \((.*)\))?$/s;

/** Whether a stretch is one of which events are missing. */
export function isGapName(name: string): boolean {
  return GAP.test(name);
}

/** What a stretch is called: the program's own word, or that events are missing, in the language of the page. */
export function annotationName({ t, count }: Pick<Words, 't' | 'count'>, name: string): string {
  const [whole, digits, label] = GAP.exec(name) ?? [];
  if (whole === undefined) return name;
  const dropped = Number(digits?.replaceAll(',', '') ?? Number.NaN);
  const what = Number.isNaN(dropped)
    ? t('gap.unknown')
    : t('gap.known', { count: dropped, events: count(dropped) });
  return label === undefined ? what : t('gap.because', { what, why: label });
}
