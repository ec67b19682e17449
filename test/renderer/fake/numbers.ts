import {
  type MomentResult,
  REGIONS,
  type RegionMoment,
  type RegionName,
  type SiteShare,
} from '../../../app/contract/engine.ts';
import { FAKE_SITES, type FakeBlock, holesOf, isAlive, type Simulation } from './simulate.ts';

/** The numbers of a simulation at one moment, by looking at everything. */

function regionMoment(simulation: Simulation, region: RegionName, event: number): RegionMoment {
  const blocks = simulation.blocks.filter((block) => block.region === region && isAlive(block, event));
  const sum = (pick: (block: FakeBlock) => number) => blocks.reduce((total, block) => total + pick(block), 0);
  const classes = new Map<number, { count: number; bytes: number }>();
  let reserved = 0;
  let segments = 0;
  let holes = 0;
  let largestFree = 0;
  let cachedWhole = 0;
  let cachedWholeSegments = 0;
  simulation.segments.forEach((segment, row) => {
    if (segment.region !== region || !isAlive(segment, event)) return;
    segments++;
    reserved += segment.bytes;
    for (const hole of holesOf(blocks, segment, row, event)) {
      holes++;
      largestFree = Math.max(largestFree, hole.bytes);
      const exponent = Math.floor(Math.log2(hole.bytes));
      const known = classes.get(exponent) ?? { count: 0, bytes: 0 };
      classes.set(exponent, { count: known.count + 1, bytes: known.bytes + hole.bytes });
      if (hole.bytes === segment.bytes && region !== 'virtual') {
        cachedWhole += hole.bytes;
        cachedWholeSegments++;
      }
    }
  });
  const active = sum((block) => block.bytes);
  const free = reserved - active;
  return {
    allocated: active,
    active,
    reserved,
    requested: sum((block) => block.requested),
    free,
    largestFree,
    holes,
    fragmentation: free === 0 ? null : 1 - largestFree / free,
    cachedWhole,
    cachedWholeSegments,
    stranded: free - cachedWhole,
    segments,
    blocks: blocks.length,
    holeClasses: [...classes]
      .sort(([one], [other]) => one - other)
      .map(([exponent, one]) => ({ exponent, ...one })),
  };
}

function addRegions(regions: readonly RegionMoment[]): RegionMoment {
  const sum = (pick: (region: RegionMoment) => number) =>
    regions.reduce((total, region) => total + pick(region), 0);
  const free = sum((region) => region.free);
  const largestFree = Math.max(...regions.map((region) => region.largestFree));
  const classes = new Map<number, { count: number; bytes: number }>();
  for (const one of regions.flatMap((region) => region.holeClasses)) {
    const known = classes.get(one.exponent) ?? { count: 0, bytes: 0 };
    classes.set(one.exponent, { count: known.count + one.count, bytes: known.bytes + one.bytes });
  }
  return {
    allocated: sum((region) => region.allocated),
    active: sum((region) => region.active),
    reserved: sum((region) => region.reserved),
    requested: sum((region) => region.requested),
    free,
    largestFree,
    holes: sum((region) => region.holes),
    fragmentation: free === 0 ? null : 1 - largestFree / free,
    cachedWhole: sum((region) => region.cachedWhole),
    cachedWholeSegments: sum((region) => region.cachedWholeSegments),
    stranded: sum((region) => region.stranded),
    segments: sum((region) => region.segments),
    blocks: sum((region) => region.blocks),
    holeClasses: [...classes]
      .sort(([one], [other]) => one - other)
      .map(([exponent, one]) => ({ exponent, ...one })),
  };
}

function siteShares(simulation: Simulation, event: number): SiteShare[] {
  const shares = FAKE_SITES.map((site, rank) => {
    const blocks = simulation.blocks.filter((block) => block.site === rank && isAlive(block, event));
    const bytes = blocks.reduce((total, block) => total + block.bytes, 0);
    return { site: rank, name: site.name, stack: null, bytes, blocks: blocks.length };
  });
  return shares.filter((share) => share.blocks > 0).sort((one, other) => other.bytes - one.bytes);
}

export function momentOf(simulation: Simulation, event: number, hasClock: boolean): MomentResult {
  const [immediate, pooled, virtual] = REGIONS.map((region) => regionMoment(simulation, region, event));
  if (immediate === undefined || pooled === undefined || virtual === undefined) throw new Error('no region');
  return {
    event,
    time: hasClock ? (event < 0 ? 0 : (simulation.events[event]?.time ?? 0)) : null,
    regions: { immediate, pooled, virtual },
    total: addRegions([immediate, pooled, virtual]),
    sites: siteShares(simulation, event),
  };
}
