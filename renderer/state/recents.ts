import * as v from 'valibot';
import { create } from 'zustand';
import {
  type Engine,
  REGIONS,
  type RegionName,
  source,
  type TraceInfo,
  type TraceSource,
} from '../../app/contract/engine.ts';
import type { Report } from '../../app/contract/report.ts';
import { isFragmented } from './findings.ts';
import { fullRange, type TraceState, usualAxis, VIEW_NAMES } from './store.ts';
import { readStored, writeStored } from './stored.ts';

/** Captures that were open before, with enough to recognise them by. Kept in the browser's local storage. */

const KEY = 'strata.recents';
const MOST = 12;
/** Points of a sparkline, two pixels each. */
const POINTS = 75;

const finding = v.variant('kind', [
  v.object({ kind: v.literal('failed'), count: v.number() }),
  v.object({ kind: v.literal('damaged') }),
  v.object({ kind: v.literal('fragmented'), share: v.number() }),
  v.object({ kind: v.literal('none') }),
]);
export type Finding = v.InferOutput<typeof finding>;

const place = v.object({
  view: v.picklist(VIEW_NAMES),
  device: v.pipe(v.number(), v.integer(), v.minValue(0)),
  axis: v.picklist(['time', 'event']),
  range: v.object({ from: v.number(), to: v.number() }),
  cursor: v.pipe(v.number(), v.integer(), v.minValue(-1)),
});
type Place = v.InferOutput<typeof place>;

const recent = v.object({
  source,
  name: v.string(),
  producer: v.string(),
  format: v.string(),
  /** It holds sampled totals and no blocks. */
  isSampled: v.optional(v.boolean(), false),
  /** What was reserved is not known: the peak is that of what was active. */
  isOfActive: v.optional(v.boolean(), false),
  /** Milliseconds since the Unix epoch. */
  openedAt: v.number(),
  events: v.number(),
  peakReserved: v.number(),
  /** Shares of the peak over the whole trace; one point for a trace of one instant. */
  reserved: v.array(v.number()),
  active: v.array(v.number()),
  /** The region that held most, which gives the sparkline its colour. */
  region: v.picklist(REGIONS),
  finding,
  place: v.nullable(place),
});
export type Recent = v.InferOutput<typeof recent>;

interface RecentsState {
  readonly recents: readonly Recent[];
  /** Sources that were not found when they were last asked for. */
  readonly missing: ReadonlySet<string>;
}

export const useRecents = create<RecentsState>()(() => ({ recents: [], missing: new Set() }));

export function keyOf(one: TraceSource): string {
  return JSON.stringify(one);
}

export function startRecents(): void {
  useRecents.setState({ recents: readStored(KEY, v.array(recent), []) });
  useRecents.subscribe((state, before) => {
    if (state.recents !== before.recents) writeStored(KEY, state.recents);
  });
}

export function clearRecents(): void {
  useRecents.setState({ recents: [], missing: new Set() });
}

export function setMissing(one: Recent, isMissing: boolean): void {
  useRecents.setState(({ missing }) => {
    const changed = new Set(missing);
    if (isMissing) changed.add(keyOf(one.source));
    else changed.delete(keyOf(one.source));
    return { missing: changed };
  });
}

/** The worst that a report says: a failed request, then damage, then fragmentation of the device with most memory. */
export function worstFinding(report: Report, device: number): Finding {
  const failures = report.devices.reduce((sum, one) => sum + one.failures.length, 0);
  if (failures > 0) return { kind: 'failed', count: failures };
  if (!report.complete) return { kind: 'damaged' };
  const one = report.devices[device];
  if (one === undefined) return { kind: 'none' };
  const { immediate, pooled, virtual } = one.fragmentation_at_peak;
  const most = [immediate, virtual].reduce(
    (best, region) => ((region.free ?? 0) > (best.free ?? 0) ? region : best),
    pooled,
  );
  if (most.value !== null && isFragmented(most.value, most.free ?? 0, one.peak.reserved.bytes)) {
    return { kind: 'fragmented', share: most.value };
  }
  return { kind: 'none' };
}

function mainRegion(report: Report, device: number): RegionName {
  const regions = report.devices[device]?.regions;
  const held = (region: RegionName) => regions?.[region].peak.reserved.bytes ?? 0;
  return REGIONS.reduce((best, region) => (held(region) > held(best) ? region : best));
}

interface Spark {
  readonly reserved: readonly number[];
  readonly active: readonly number[];
}

async function blockSpark(engine: Engine, info: TraceInfo, device: number): Promise<Spark> {
  const axis = usualAxis(info, device);
  const events = info.devices[device]?.events ?? 0;
  const window = { axis, ...fullRange(info, device, axis), columns: events === 0 ? 1 : POINTS } as const;
  const { total } = await engine.call('series', { trace: info.trace, device, window });
  return { reserved: [...total.reserved.max], active: [...total.active.max] };
}

/** The used memory of the first GPU; where nothing is known, nothing is drawn. */
async function sampledSpark(engine: Engine, info: TraceInfo): Promise<Spark> {
  const { counters } = await engine.call('counters', { trace: info.trace });
  const row = counters.findIndex((one) => one.name === 'used' && !one.isProcess);
  if (row < 0) return { reserved: [0], active: [0] };
  const window = { from: 0, to: Math.max(1, info.durationNs), columns: POINTS };
  const [used] = await engine.call('counterSeries', { trace: info.trace, counters: [row], ...window });
  const known = Array.from(used?.max ?? [], (value) => (Number.isNaN(value) ? 0 : value));
  return { reserved: known, active: known };
}

/** Puts a trace that was just opened at the head of the list; a simulation is nothing that can be opened again. */
export async function rememberTrace(engine: Engine, info: TraceInfo, device: number): Promise<void> {
  const { source: opened } = info;
  if (opened.kind === 'simulation') return;
  const report = await engine.call('report', { trace: info.trace });
  const isSampled = info.devices.length === 0;
  const { reserved, active } = isSampled
    ? await sampledSpark(engine, info)
    : await blockSpark(engine, info, device);
  const peak = Math.max(1, ...reserved);
  const shares = (values: readonly number[]) => values.map((value) => Number((value / peak).toFixed(3)));
  const entry: Recent = {
    source: opened,
    name: info.name,
    producer: info.producer,
    format: info.format,
    isSampled,
    isOfActive: info.devices[device]?.layout !== 'segments',
    openedAt: Date.now(),
    events: info.devices.reduce((sum, one) => sum + one.events, 0),
    peakReserved: isSampled ? Math.max(0, ...reserved) : (info.devices[device]?.peakReserved ?? 0),
    reserved: shares(reserved),
    active: shares(active),
    region: mainRegion(report, device),
    finding: worstFinding(report, device),
    place: null,
  };
  useRecents.setState(({ recents }) => {
    const others = recents.filter((one) => keyOf(one.source) !== keyOf(entry.source));
    return { recents: [entry, ...others].slice(0, MOST) };
  });
  setMissing(entry, false);
}

/** A recording that is over, and may lie elsewhere now: its entry is made anew, in its place if it has one. */
export async function renewRecent(engine: Engine, before: TraceSource, info: TraceInfo): Promise<void> {
  useRecents.setState(({ recents }) => ({
    recents: recents.filter((one) => keyOf(one.source) !== keyOf(before)),
  }));
  const device = 0;
  await rememberTrace(engine, info, device).catch(() => {
    // The trace was closed meanwhile.
  });
}

/** Keeps where a trace was left. */
export function rememberPlace(state: TraceState): void {
  const left: Place = {
    view: state.view,
    device: state.device,
    axis: state.axis,
    range: { from: state.range.from, to: state.range.to },
    cursor: state.cursor,
  };
  useRecents.setState(({ recents }) => ({
    recents: recents.map((one) =>
      keyOf(one.source) === keyOf(state.info.source) ? { ...one, place: left } : one,
    ),
  }));
}
