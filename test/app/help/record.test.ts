import { describe, expect, it } from 'vitest';
import {
  guideOfFormat,
  RECORD_GUIDE_IDS,
  RECORD_GUIDES,
  RECORD_NAMES,
  recordGuide,
} from '../../../app/help/record.ts';
import english from '../../../app/locales/en.json';
import chinese from '../../../app/locales/zh-CN.json';

describe('the guides to recording', () => {
  it('are complete in both languages, without blanks', () => {
    expect(RECORD_GUIDES.map((guide) => guide.id)).toEqual([...RECORD_GUIDE_IDS]);
    for (const { guides, steps } of [english.record, chinese.record]) {
      for (const guide of RECORD_GUIDES) {
        for (const text of Object.values(guides[guide.id])) expect(text.trim()).not.toBe('');
        for (const step of guide.steps) expect(steps[step.id].trim()).not.toBe('');
      }
      expect(Object.keys(steps).sort()).toEqual(
        RECORD_GUIDES.flatMap((guide) => guide.steps.map((step) => step.id)).sort(),
      );
    }
  });

  it('have commands that fit a terminal and a page', () => {
    for (const { steps } of RECORD_GUIDES) {
      for (const { code } of steps) {
        for (const line of code.split('\n')) expect(line.length, line).toBeLessThanOrEqual(90);
      }
    }
  });

  it('lead from the format of a trace to what records it', () => {
    expect(guideOfFormat('rmm-log')).toBe('rmm');
    expect(guideOfFormat('tensorflow-memory-dump')).toBe('bfcLog');
    expect(guideOfFormat('of a later version')).toBe('pytorch');
    const formats = RECORD_GUIDES.flatMap((guide) => guide.formats);
    expect(new Set(formats).size).toBe(formats.length);
  });

  it('are found by one name each', () => {
    const names = RECORD_GUIDE_IDS.flatMap((id) => [id.toLowerCase(), ...RECORD_NAMES[id]]);
    expect(new Set(names).size).toBe(names.length);
    expect(recordGuide('nsight').steps).toHaveLength(2);
  });
});
