import type { BlockInfo, HitResult, LayoutName, MapResult } from '../../../app/contract/engine.ts';
import { formatBytes, formatPercent } from '../../../app/domain/format.ts';
import { addressOf } from '../../charts/address-axis.ts';
import { columnAt, columnScale } from '../../charts/columns.ts';
import { type CellMix, cellMix } from '../../charts/map-raster.ts';
import { type AxisPlace, exactPlaceWords } from '../../charts/moment-words.ts';
import { siteName } from '../../charts/site-name.ts';
import type { AxisUnit } from '../../charts/time-axis.ts';
import type { TooltipLine } from '../../charts/tooltip.tsx';
import type { Place } from '../../charts/use-gestures.ts';
import { useWords, type Words } from '../../charts/use-words.ts';
import { toValue } from '../../charts/viewport.ts';
import { ownerVariable } from '../../design/colours.ts';
import { useQuery } from '../../engine/use-query.ts';

import { useActiveDevice, useActiveTrace } from '../../state/active-trace.ts';
import type { Range } from '../../state/store.ts';

import { lengthWords } from './map-legend.tsx';
import type { Addresses, MapLook } from './use-map.ts';

interface HoverPlace {
  readonly hover: Place;
  readonly range: Range;
  readonly addresses: Addresses;
  readonly cells: MapResult | null;
  readonly look: MapLook;
  readonly width: number;
  readonly height: number;
  readonly unit: AxisUnit;
}

/** What is under the pointer: the block or hole itself as soon as the engine said it, and the mix of the cell. */
export function useHoverLines(at: HoverPlace): TooltipLine[] {
  const { axis } = useActiveTrace();
  const { layout } = useActiveDevice();
  const words = useWords();
  const { hit, block } = useThing(at);
  const lines: TooltipLine[] =
    hit === null ? [] : thingLines(words, layout, hit, block, at, { axis, unit: at.unit });
  if (at.hover.x > at.width || at.cells === null) return lines;
  const column = columnAt(columnScale(at.cells.window, at.range, at.width), at.hover.x);
  const offset = toValue(at.addresses.visible, at.height, at.hover.y);
  const { fromOffset, toOffset, rows } = at.cells;
  const row = Math.floor(((offset - fromOffset) / (toOffset - fromOffset)) * rows);
  const mix = column === null ? null : cellMix(at.cells, column, row);
  if (mix === null) return lines;
  const time = lengthWords(
    words,
    axis,
    (at.cells.window.to - at.cells.window.from) / at.cells.window.columns,
  );
  const bytes = formatBytes(Math.max(1, (toOffset - fromOffset) / rows), words.locale);
  return [...lines, ...mixLines(words, layout, mix, time, bytes, siteOf(words, at.look, mix))];
}

function siteOf(words: Words, look: MapLook, mix: CellMix): string | null {
  return mix.site === null ? null : siteName(words, look.sites, mix.site);
}

/** "0.54 ms × 96 MiB of addresses", and what is in them. */
export function mixLines(
  words: Words,
  layout: LayoutName,
  mix: CellMix,
  time: string,
  bytes: string,
  site: string | null,
): TooltipLine[] {
  const shares = [
    mix.occupied > 0
      ? words.t('map.mixOccupied', { percent: formatPercent(mix.occupied, words.locale) })
      : null,
    mix.free > 0 ? words.t('map.mixFree', { percent: formatPercent(mix.free, words.locale) }) : null,
    mix.unmapped > 0
      ? words.t(layout === 'segments' ? 'map.mixUnmapped' : 'map.mixUnknown', {
          percent: formatPercent(mix.unmapped, words.locale),
        })
      : null,
  ].filter((share) => share !== null);
  const lines: TooltipLine[] = [
    { text: words.t('map.mixTitle', { time, bytes }), tone: 'quiet' },
    { text: shares.join(words.locale === 'zh-CN' ? '，' : ', '), tone: 'quiet' },
  ];
  if (site !== null && mix.occupied > 0)
    lines.push({ text: words.t('map.mixSite', { site }), tone: 'quiet' });
  return lines;
}

function thingLines(
  words: Words,
  layout: LayoutName,
  hit: HitResult,
  block: BlockInfo | null,
  at: HoverPlace,
  place: AxisPlace,
): TooltipLine[] {
  const bytes = words.bytes(hit.bytes);
  if (hit.kind === 'unmapped') {
    return [{ text: words.t(layout === 'segments' ? 'map.unmapped' : 'map.unknown') }];
  }
  if (hit.kind === 'hole') {
    return [
      { text: words.t('map.hole', { bytes }), tone: 'hole' },
      { text: hit.address, tone: 'quiet' },
    ];
  }
  if (block === null || block.block !== hit.block) return [{ text: `**${bytes}**` }];
  const { sites } = at.look;
  const site = block.site < sites.length - 1 ? siteName(words, sites, block.site) : block.siteName;
  return [
    { text: words.t('map.block', { bytes, site }), swatch: ownerVariable(block.site, sites.length) },
    { text: lifeWords(words, place, block) },
    { text: block.address, tone: 'quiet' },
  ];
}

export function lifeWords(words: Words, place: AxisPlace, block: BlockInfo): string {
  const write = (moment: BlockInfo['birth']) =>
    moment === null ? null : exactPlaceWords(words, place, moment.event, moment.time);
  const from = write(block.birth) ?? '';
  const to = write(block.death) ?? '';
  if (block.birth === null) return words.t(block.death === null ? 'map.lifeAll' : 'map.lifeBefore', { to });
  return words.t(block.death === null ? 'map.lifeAlive' : 'map.life', { from, to });
}

/** Asks what lies at the pointer's address at its time; in the strip, at the cursor's. */
function useThing(at: HoverPlace): { hit: HitResult | null; block: BlockInfo | null } {
  const { info, device, axis, cursor } = useActiveTrace();
  const on = { trace: info.trace, device };
  const isStrip = at.hover.x > at.width;
  const value = toValue(at.range, at.width, at.hover.x);
  const asked = useQuery('eventAt', axis === 'time' && !isStrip ? { ...on, time: value } : null);
  const event = isStrip ? cursor : axis === 'event' ? Math.floor(value) : asked.isStale ? null : asked.data;
  const address = addressOf(at.addresses.ranges, toValue(at.addresses.visible, at.height, at.hover.y));
  const hit = useQuery('hit', event === null || address === null ? null : { ...on, event, address });
  const row = hit.data?.kind === 'block' ? hit.data.block : null;
  const block = useQuery('block', row === null ? null : { ...on, block: row });
  return { hit: hit.isStale ? null : hit.data, block: block.isStale ? null : block.data };
}
