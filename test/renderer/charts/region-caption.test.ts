import { describe, expect, it } from 'vitest';
import { regionCaption, toldApartBy } from '../../../renderer/charts/region-caption.ts';
import type { Words } from '../../../renderer/charts/use-words.ts';

const words = { t: (key: string) => key } as unknown as Words;
const caption = (format: string, regionsBy: 'segments' | 'size' | 'capture' | 'nothing', isMain = true) =>
  regionCaption(words, 'pooled', isMain, toldApartBy(format, { regionsBy }));

describe('the caption of a region', () => {
  it('names the pools of PyTorch for its snapshots alone', () => {
    expect(caption('pytorch-snapshot', 'segments')).toBe('region.pooledCaption');
    expect(caption('pytorch-snapshot', 'segments', false)).toBe('region.pooledOwnScale');
    expect(caption('xla-hlo', 'segments')).toBe('region.asCaptured');
  });

  it('names sizes only where they tell regions apart', () => {
    expect(caption('rmm-log', 'size')).toBe('region.pooledBySize');
    expect(caption('nsight-export', 'capture')).toBe('region.asCaptured');
    expect(caption('jax-memory-profile', 'nothing')).toBe('region.notTold');
  });
});
