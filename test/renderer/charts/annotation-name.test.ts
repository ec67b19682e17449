import { describe, expect, it } from 'vitest';
import { annotationName, isGapName } from '../../../renderer/charts/annotation-name.ts';

const words = {
  t: (key: string, values: Readonly<Record<string, string | number>> = {}) =>
    `${key} ${JSON.stringify(values)}`,
  count: String,
};

describe('the name of a stretch', () => {
  it('is the word of the program', () => {
    expect(annotationName(words, 'forward')).toBe('forward');
    expect(annotationName(words, 'gap: mine')).toBe('gap: mine');
    expect(isGapName('gap: mine')).toBe(false);
  });

  it('is in the language of the page where events are missing', () => {
    const name = 'gap: 1,234 events missing';
    expect(isGapName(name)).toBe(true);
    expect(annotationName(words, name)).toBe('gap.known {"count":1234,"events":"1234"}');
    expect(annotationName(words, 'gap: an unknown number of events missing')).toBe('gap.unknown {}');
    expect(annotationName(words, 'gap: 1 event missing (queue (full))')).toBe(
      `gap.because ${JSON.stringify({ what: 'gap.known {"count":1,"events":"1"}', why: 'queue (full)' })}`,
    );
  });
});
