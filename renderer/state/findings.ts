import { REGIONS, type RegionName } from '../../app/contract/engine.ts';
import type { Bytes } from '../../app/domain/units.ts';

/** Fragmentation is worth a caution only when much is free: 96 % of 676 MiB matters less than 40 % of 12 GiB. */
const FREE_SHARE = 0.05;
const HIGH = 0.3;

export function isFragmented(fragmentation: number, free: Bytes, reserved: Bytes): boolean {
  return free > FREE_SHARE * reserved && fragmentation >= HIGH;
}

/** The region whose free memory is worth a look: the one with most of it. */
export function busiestRegion(regions: Readonly<Record<RegionName, { readonly free: Bytes }>>): RegionName {
  return REGIONS.reduce(
    (best, region) => (regions[region].free > regions[best].free ? region : best),
    'pooled',
  );
}
