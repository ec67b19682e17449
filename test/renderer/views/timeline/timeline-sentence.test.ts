import { describe, expect, it } from 'vitest';
import type { MomentResult } from '../../../../app/contract/engine.ts';
import type { Words } from '../../../../renderer/charts/use-words.ts';
import {
  type SentenceFacts,
  timelineSentence,
} from '../../../../renderer/views/timeline/timeline-sentence.ts';
import { steady } from '../../charts/live-data.ts';

/** Messages as their keys with what fills them, to see which case was taken. */
const words: Words = {
  locale: 'en',
  t: (key, values) => (values === undefined ? key : `${key}(${Object.values(values).join(', ')})`),
  site: (kind) => kind,
  unused: (region) => region,
  bytes: (bytes) => `${bytes}B`,
  count: String,
};

const region = { free: 40, largestFree: 10 };
const moment = { regions: { pooled: region }, total: { free: 44 } } as unknown as MomentResult;

function factsOf(values: readonly number[], change: Partial<SentenceFacts> = {}): SentenceFacts {
  return {
    reserved: steady(values),
    layout: 'segments',
    columns: { left: 0, width: 1, first: 0, end: values.length },
    moment,
    region: 'pooled',
    peak: { bytes: 900, event: 7, where: '3 ms' },
    isAtPeak: false,
    bounds: null,
    ...change,
  };
}

describe('the sentence of the Timeline', () => {
  it('says how reserved memory moves, and what is free at the cursor', () => {
    expect(timelineSentence(words, factsOf([100, 200, 400]))).toContain('timeline.climbs');
    expect(timelineSentence(words, factsOf([400, 200, 100]))).toContain('timeline.falls');
    expect(timelineSentence(words, factsOf([400, 401, 400]))).toContain('timeline.stays(400B)');
    expect(timelineSentence(words, factsOf([100, 900, 100]))).toContain('timeline.rises(900B)');
    expect(timelineSentence(words, factsOf([100, 100]))).toContain('timeline.free(40B, 10B)');
  });

  it('names the peak while the cursor stands on it', () => {
    expect(timelineSentence(words, factsOf([1, 2], { isAtPeak: true }))).toBe(
      'timeline.atPeak(900B, 3 ms, 44B)',
    );
    const before = { bytes: 900, event: -1, where: '' };
    expect(timelineSentence(words, factsOf([1, 2], { isAtPeak: true, peak: before }))).toContain(
      'timeline.atPeakStart',
    );
  });

  it('gives bounds, never a sum, for a capture that is cut off', () => {
    const bounds = { extra: 30, where: '9 ms', final: 500 };
    expect(timelineSentence(words, factsOf([10, 20], { bounds }))).toMatch(
      /^timeline\.bounded\(9 ms, 20, 50.B, 500B\)$/,
    );
    expect(timelineSentence(words, factsOf([10, 20], { bounds: { ...bounds, final: null } }))).toContain(
      'timeline.boundedOpen',
    );
  });

  it('knows when what is free lies in one hole, and when nothing is free', () => {
    const at = (free: number, largestFree: number) =>
      ({ regions: { pooled: { free, largestFree } }, total: { free } }) as unknown as MomentResult;
    expect(timelineSentence(words, factsOf([1], { moment: at(5, 5) }))).toContain('timeline.freeInOne(5B)');
    expect(timelineSentence(words, factsOf([1], { moment: at(0, 0) }))).toContain('timeline.nothingFree');
  });
});
