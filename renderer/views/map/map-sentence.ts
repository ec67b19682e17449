import type { LayoutName, RegionMoment, RegionName } from '../../../app/contract/engine.ts';
import type { Words } from '../../charts/use-words.ts';

/** The sentence of the Map: what is free in the region, and in how large a piece. `where` is null for one instant. */
export function mapSentence(
  words: Words,
  layout: LayoutName,
  region: RegionName,
  numbers: RegionMoment | undefined,
  where: string | null,
): string {
  if (numbers === undefined || layout === 'totals') return '\u00a0';
  const facts = {
    region: words.t(`map.${region}`),
    free: words.bytes(numbers.free),
    largest: words.bytes(numbers.largestFree),
    reserved: words.bytes(numbers.reserved),
  };
  if (layout === 'blocks') {
    const blocks = {
      ...facts,
      where: where ?? '',
      blocks: words.count(numbers.blocks),
      count: numbers.blocks,
    };
    return words.t(where === null ? 'map.instantBlocks' : 'map.sentenceBlocks', blocks);
  }
  if (where === null) {
    if (numbers.segments === 0) return words.t('map.instantNone', facts);
    return words.t(numbers.free === 0 ? 'map.instantFull' : 'map.instantSentence', facts);
  }
  if (numbers.segments === 0) return words.t('map.sentenceNone', { ...facts, where });
  if (numbers.free === 0) return words.t('map.sentenceFull', { ...facts, where });
  const isOneHole = numbers.free === numbers.largestFree;
  return words.t(isOneHole ? 'map.sentenceOne' : 'map.sentence', { ...facts, where });
}
