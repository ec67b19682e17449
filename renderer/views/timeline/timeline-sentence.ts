import type { LayoutName, MomentResult, RegionName, SeriesColumns } from '../../../app/contract/engine.ts';
import { formatBounds } from '../../../app/domain/format.ts';
import type { ColumnScale } from '../../charts/columns.ts';
import { largestVisible } from '../../charts/lane-scale.ts';
import type { Words } from '../../charts/use-words.ts';

export interface SentenceFacts {
  readonly reserved: SeriesColumns;
  readonly layout: LayoutName;
  readonly columns: ColumnScale;
  /** The cursor. */
  readonly moment: MomentResult | null;
  readonly region: RegionName;
  /** Peak of the whole trace: bytes and how its place is written. */
  readonly peak: { readonly bytes: number; readonly event: number; readonly where: string };
  readonly isAtPeak: boolean;
  /** Of a damaged capture: where its events end, and what was stored about the end. */
  readonly bounds: { readonly extra: number; readonly where: string; readonly final: number | null } | null;
}

/** Changes smaller than this share of the larger end count as "stays". */
const STEADY = 0.01;

/** The sentence of the Timeline: how reserved memory moves in the window, and what is free at the cursor. */
export function timelineSentence(words: Words, facts: SentenceFacts): string {
  const { t, bytes } = words;
  if (facts.bounds !== null) {
    const least = facts.reserved.last[facts.columns.end - 1] ?? 0;
    const [low, high] = formatBounds(least, least + facts.bounds.extra, words.locale);
    const { where, final } = facts.bounds;
    return final === null
      ? t('timeline.boundedOpen', { where, low, high })
      : t('timeline.bounded', { where, low, high, final: bytes(final) });
  }
  if (facts.layout !== 'segments') return sentenceOfBlocks(words, facts);
  const total = facts.moment?.total ?? null;
  if (facts.isAtPeak && total !== null) {
    return t(facts.peak.event < 0 ? 'timeline.atPeakStart' : 'timeline.atPeak', {
      peak: bytes(facts.peak.bytes),
      where: facts.peak.where,
      free: bytes(total.free),
    });
  }
  return `${windowClause(words, facts)}${t('timeline.join')}${cursorClause(words, facts)}`;
}

/** Where no segments are known, what is active is all there is to say. */
function sentenceOfBlocks(words: Words, facts: SentenceFacts): string {
  const { peak, columns, reserved } = facts;
  if (facts.isAtPeak && facts.moment !== null) {
    const key = peak.event < 0 ? 'timeline.activeAtPeakStart' : 'timeline.activeAtPeak';
    return words.t(key, { peak: words.bytes(peak.bytes), where: peak.where });
  }
  const highest = largestVisible(reserved.max, columns).value;
  return words.t('timeline.activeUpTo', { highest: words.bytes(highest) });
}

function windowClause(words: Words, facts: SentenceFacts): string {
  const { columns, reserved } = facts;
  const from = reserved.last[columns.first] ?? 0;
  const to = reserved.last[columns.end - 1] ?? 0;
  const highest = largestVisible(reserved.max, columns).value;
  const [low, high] = formatBounds(Math.min(from, to), Math.max(from, to), words.locale);
  if (highest > Math.max(from, to) * (1 + STEADY)) {
    return words.t('timeline.rises', { highest: words.bytes(highest) });
  }
  if (Math.abs(to - from) <= STEADY * Math.max(from, to)) {
    return words.t('timeline.stays', { bytes: words.bytes(to) });
  }
  return to > from ? words.t('timeline.climbs', { low, high }) : words.t('timeline.falls', { low, high });
}

function cursorClause(words: Words, facts: SentenceFacts): string {
  const region = facts.moment?.regions[facts.region];
  if (region === undefined) return '';
  const free = words.bytes(region.free);
  if (region.free === 0) return words.t('timeline.nothingFree');
  if (region.largestFree === region.free) return words.t('timeline.freeInOne', { free });
  return words.t('timeline.free', { free, largest: words.bytes(region.largestFree) });
}
