import { type KeyboardEvent, useLayoutEffect, useState } from 'react';
import type { MomentResult } from '../../../app/contract/engine.ts';
import { exactPlaceWords } from '../../charts/moment-words.ts';
import { siteName } from '../../charts/site-name.ts';
import { axisUnit, wantedTicks } from '../../charts/time-axis.ts';
import { useWords, type Words } from '../../charts/use-words.ts';
import { useEngine } from '../../engine/engine.ts';
import { useQuery } from '../../engine/use-query.ts';
import { useActiveTrace, useUpdateTrace } from '../../state/active-trace.ts';
import type { Lane } from './lane-layout.ts';
import { useTimelineOptions } from './timeline-options.ts';
import type { Driver } from './use-driver.ts';
import type { TimelineData } from './use-timeline.ts';

interface LaneKeys {
  readonly activeLane: string | null;
  readonly announcement: string;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** Wide enough to announce the place to three decimals of the axis's unit. */
const USUAL_WIDTH = 900;
const LANE_STEP = 1.15;

/**
 * Keys inside the plot: up and down go from lane to lane, Enter folds one, and in Live blocks it walks the blocks of
 * the cursor's moment from the bottom up (with Shift down). Cursor, zoom and pan keys belong to the frame.
 */
export function useLaneKeys(
  lanes: readonly Lane[],
  data: TimelineData,
  moment: MomentResult | null,
): LaneKeys {
  const words = useWords();
  const [active, setActive] = useState<string | null>(null);
  const toggleFold = useTimelineOptions((options) => options.toggleFold);
  const walk = useBlockWalk();
  useLaneHeightKeys();
  const at = lanes.findIndex((lane) => lane.id === active);
  const lane = lanes[at];
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const next = lanes[Math.min(lanes.length - 1, Math.max(0, at + (event.key === 'ArrowDown' ? 1 : -1)))];
      setActive(next?.id ?? null);
    } else if (event.key === 'Enter' && lane?.spec.kind === 'live') {
      walk(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Enter' && lane !== undefined && lane.spec.kind !== 'unused') {
      toggleFold(lane.id);
    } else return;
    event.preventDefault();
  };
  return { activeLane: active, announcement: useAnnouncement(words, lane, data, moment), onKeyDown };
}

/** Selects the next block of the cursor's moment in the order in which they are stacked. */
function useBlockWalk(): (step: 1 | -1) => void {
  const engine = useEngine();
  const update = useUpdateTrace();
  const { info, device, cursor, selection } = useActiveTrace();
  return (step) => {
    void engine.call('state', { trace: info.trace, device, event: cursor }).then((state) => {
      const order = [...state.blockRow.keys()].sort(
        (one, other) =>
          (state.blockSite[one] as number) - (state.blockSite[other] as number) ||
          (state.blockRow[one] as number) - (state.blockRow[other] as number),
      );
      const selected = selection?.kind === 'block' ? selection.block : null;
      const position = order.findIndex((index) => state.blockRow[index] === selected);
      const next = order[position < 0 ? (step > 0 ? 0 : order.length - 1) : position + step];
      if (next !== undefined) update({ selection: { kind: 'block', block: state.blockRow[next] as number } });
    });
  };
}

/** Shift + and Shift − change the height of all lanes, wherever the focus is. */
function useLaneHeightKeys(): void {
  const scaleLanes = useTimelineOptions((options) => options.scaleLanes);
  useLayoutEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input,textarea,select');
      if (!event.shiftKey || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      if (event.key === '+' || event.code === 'NumpadAdd') scaleLanes(LANE_STEP);
      else if (event.key === '_' || event.key === '-' || event.code === 'NumpadSubtract')
        scaleLanes(1 / LANE_STEP);
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey, { capture: true });
    return () => removeEventListener('keydown', onKey, { capture: true });
  }, [scaleLanes]);
}

/** The cursor's position and the numbers of the lane that the keyboard is in. */
function useAnnouncement(
  words: Words,
  lane: Lane | undefined,
  data: TimelineData,
  moment: MomentResult | null,
): string {
  const { axis, range } = useActiveTrace();
  const spoken = useDriverAt(data.driver, lane, moment?.time ?? null);
  if (moment === null) return '';
  const place = { axis, unit: axisUnit(axis, range, wantedTicks(USUAL_WIDTH)) };
  const where = exactPlaceWords(words, place, moment.event, moment.time);
  if (lane !== undefined && isOfDriver(lane)) {
    if (spoken === null) return words.t('announce.driverUnknown', { where });
    const { used, difference } = spoken;
    return words.t('announce.driver', {
      where,
      used: words.bytes(used),
      difference: words.bytes(difference),
    });
  }
  if (lane?.spec.kind === 'live') {
    const largest = moment.sites[0];
    if (largest === undefined) return where;
    return words.t('announce.live', {
      where,
      active: words.bytes(moment.total.active),
      site: siteName(words, data.sites, largest.site),
      bytes: words.bytes(largest.bytes),
    });
  }
  const region = lane?.spec.kind === 'region' || lane?.spec.kind === 'free' ? lane.spec.region : 'total';
  const numbers = region === 'total' ? moment.total : moment.regions[region];
  return words.t('announce.region', {
    where,
    region: words.t(`region.${region}`),
    reserved: words.bytes(numbers.reserved),
    free: words.bytes(numbers.free),
    largest: words.bytes(numbers.largestFree),
  });
}

const isOfDriver = ({ spec }: Lane) => spec.kind === 'driver' || spec.kind === 'difference';

/** What the driver said at a moment, while the keyboard is in one of its lanes; null where either is not known. */
function useDriverAt(
  { figure }: Driver,
  lane: Lane | undefined,
  time: number | null,
): { readonly used: number; readonly difference: number } | null {
  const { info, device } = useActiveTrace();
  const isAsked = figure !== null && time !== null && lane !== undefined && isOfDriver(lane);
  const window = { axis: 'time' as const, from: time ?? 0, to: (time ?? 0) + 1, columns: 1 };
  const args = { trace: info.trace, device, counter: figure?.counter ?? 0, window };
  const { data } = useQuery('driver', isAsked ? args : null);
  const used = data?.driver.last[0] ?? Number.NaN;
  const difference = data?.difference.last[0] ?? Number.NaN;
  return Number.isNaN(used) || Number.isNaN(difference) ? null : { used, difference };
}
