import type { DeviceInfo, RegionName } from '../../app/contract/engine.ts';
import type { Words } from './use-words.ts';

/** PyTorch's pools, the size of requests, what the capture says, or nothing. */
export type ToldApartBy = 'pool' | Exclude<DeviceInfo['regionsBy'], 'segments'>;

export function toldApartBy(format: string, { regionsBy }: Pick<DeviceInfo, 'regionsBy'>): ToldApartBy {
  if (regionsBy !== 'segments') return regionsBy;
  return format === 'pytorch-snapshot' ? 'pool' : 'capture';
}

/** What makes a region; `isMain`: others are drawn to its scale. */
export function regionCaption(words: Words, region: RegionName, isMain: boolean, by: ToldApartBy): string {
  if (by === 'size') return words.t(`region.${region}BySize`);
  if (by === 'nothing') return words.t('region.notTold');
  if (by === 'capture') return words.t('region.asCaptured');
  return isMain ? words.t(`region.${region}Caption`) : words.t(`region.${region}OwnScale`);
}
