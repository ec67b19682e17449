import type { Args, MarkersResult, RegionMoment, Results, SiteShare } from '../../app/contract/engine.ts';
import { REGIONS, type RegionName } from '../../app/contract/engine.ts';
import type { NativeMoment, NativeRegionMoment } from './native.ts';
import { hex, timeOf } from './quantities.ts';
import type { OpenTrace } from './traces.ts';

/** What can be asked of one moment, and where the moments worth asking about are. */

export async function state(entry: OpenTrace, args: Args<'state'>): Promise<Results['state']> {
  return { event: args.event, ...(await entry.native.state(args.device, args.event)) };
}

export async function hit(entry: OpenTrace, args: Args<'hit'>): Promise<Results['hit']> {
  const found = await entry.native.hit(args.device, args.event, BigInt(args.address));
  const extent = { address: hex(found.address), bytes: found.bytes };
  if (found.kind === 'block' && found.block !== null && found.segment !== null) {
    return { kind: 'block', block: found.block, segment: found.segment, ...extent };
  }
  if (found.kind === 'hole' && found.segment !== null) {
    return { kind: 'hole', segment: found.segment, ...extent };
  }
  return { kind: 'unmapped', ...extent };
}

export async function moment(entry: OpenTrace, args: Args<'moment'>): Promise<Results['moment']> {
  // Asked before the wait: the trace may be closed when the answer comes.
  const time = timeOf(entry, args.device, args.event);
  const siteCount = entry.sites(args.device).length;
  const found = await entry.native.moment(args.device, args.event);
  const regions = found.regions.map(regionMoment);
  const named = Object.fromEntries(REGIONS.map((name, row) => [name, regions[row]]));
  return {
    event: args.event,
    time,
    regions: named as Record<RegionName, RegionMoment>,
    total: regionMoment(sumOf(found.regions)),
    sites: siteShares(found.sites, siteCount),
  };
}

export async function markers(entry: OpenTrace, args: Args<'markers'>): Promise<MarkersResult> {
  const { native, info } = entry;
  const { device } = args;
  const found = (await native.markers(device)).map((marker) => ({
    ...marker,
    time: timeOf(entry, device, marker.event),
  }));
  const event = info.devices[device]?.peakEvent ?? -1;
  const peak = {
    kind: 'peak',
    event,
    time: timeOf(entry, device, event),
    bytes: info.devices[device]?.peakReserved ?? 0,
    count: 1,
  } as const;
  const all = [...found, peak].sort((one, other) => one.event - other.event);
  return { markers: all, annotations: native.annotations(device) };
}

/**
 * The numbers of a region as the contract names them, with what follows from them. Above 2^53 bytes, which only a
 * made-up capture has, they are rounded: pictures need numbers. A report never rounds.
 */
function regionMoment(region: NativeRegionMoment): RegionMoment {
  const free = region.reserved - region.active;
  return {
    allocated: Number(region.allocated),
    active: Number(region.active),
    reserved: Number(region.reserved),
    requested: Number(region.requested),
    free: Number(free),
    largestFree: Number(region.largestFree),
    holes: region.holeCount,
    fragmentation: fragmentationOf(region),
    cachedWhole: Number(region.cachedWhole),
    cachedWholeSegments: region.cachedWholeSegments,
    stranded: Number(free - region.cachedWhole),
    segments: region.segments,
    blocks: region.blocks,
    holeClasses: region.holes,
  };
}

/** 1 − largest free / free; null when nothing is free. */
export function fragmentationOf(region: NativeRegionMoment): number | null {
  const free = region.reserved - region.active;
  return free > 0n ? 1 - Number(region.largestFree) / Number(free) : null;
}

/** All regions together: sums, but the largest of the largest holes. */
function sumOf(regions: readonly NativeRegionMoment[]): NativeRegionMoment {
  const sum = (pick: (region: NativeRegionMoment) => bigint) =>
    regions.reduce((total, region) => total + pick(region), 0n);
  const count = (pick: (region: NativeRegionMoment) => number) =>
    regions.reduce((total, region) => total + pick(region), 0);
  return {
    allocated: sum((region) => region.allocated),
    active: sum((region) => region.active),
    reserved: sum((region) => region.reserved),
    requested: sum((region) => region.requested),
    largestFree: largest(regions.map((region) => region.largestFree)),
    holeCount: count((region) => region.holeCount),
    cachedWhole: sum((region) => region.cachedWhole),
    cachedWholeSegments: count((region) => region.cachedWholeSegments),
    segments: count((region) => region.segments),
    blocks: count((region) => region.blocks),
    holes: sumOfHoles(regions),
  };
}

function largest(values: readonly bigint[]): bigint {
  let most = 0n;
  for (const value of values) if (value > most) most = value;
  return most;
}

function sumOfHoles(regions: readonly NativeRegionMoment[]): NativeRegionMoment['holes'] {
  const classes = new Map<number, { count: number; bytes: number }>();
  for (const { exponent, count, bytes } of regions.flatMap((region) => region.holes)) {
    const known = classes.get(exponent) ?? { count: 0, bytes: 0 };
    classes.set(exponent, { count: known.count + count, bytes: known.bytes + bytes });
  }
  return [...classes]
    .sort(([one], [other]) => one - other)
    .map(([exponent, sums]) => ({ exponent, ...sums }));
}

/** Sites beyond the ranked ones take the rank of "other", the last. */
function siteShares(shares: NativeMoment['sites'], siteCount: number): readonly SiteShare[] {
  return shares.map((share) => ({ ...share, site: Math.min(share.site, siteCount - 1) }));
}
