import type { DeviceInfo, LayoutName, RegionName } from '../../../app/contract/engine.ts';
import type { Words } from '../../charts/use-words.ts';
import { useActiveDevice } from '../../state/active-trace.ts';
import { LaneFrame } from './lane-frame.tsx';
import type { Lane } from './lane-layout.ts';

interface Props {
  readonly lane: Lane;
  readonly region: RegionName;
  readonly words: Words;
  readonly used: readonly RegionName[];
  readonly layout: LayoutName;
  readonly settings: Readonly<Record<string, string>> | null;
}

/** A region without a segment stays as one line that says why. */
export function UnusedLane({ lane, region, words, used, layout, settings }: Props) {
  const { regionsBy } = useActiveDevice();
  return (
    <LaneFrame
      lane={lane}
      name={words.t(`region.${region}`)}
      swatch={`fill-${region}`}
      isQuiet
      canFold={false}
    >
      <p className="lane-note">
        {layout === 'segments'
          ? reasonWords(words, region, whyUnused(region, used, settings))
          : unusedWords(words, region, regionsBy)}
      </p>
    </LaneFrame>
  );
}

function unusedWords(words: Words, region: RegionName, by: DeviceInfo['regionsBy']): string {
  if (by === 'capture') return words.t('unused.asCaptured');
  return by === 'nothing' ? words.t('unused.notTold') : words.t(`unused.${region}BySize`);
}

type Reason = 'expandableOff' | 'expandableOn' | 'noSegment';

function reasonWords(words: Words, region: RegionName, reason: Reason): string {
  return reason === 'expandableOn'
    ? words.t('unused.expandableOn')
    : words.unused(region, reason === 'expandableOff');
}

/** The reason, as far as the recorded settings and the other regions give one. */
export function whyUnused(
  region: RegionName,
  used: readonly RegionName[],
  settings: Readonly<Record<string, string>> | null,
): Reason {
  const isOnlyVirtual = used.length === 1 && used[0] === 'virtual';
  if (region !== 'virtual') return isOnlyVirtual ? 'expandableOn' : 'noSegment';
  const said = settings?.['expandable_segments'];
  return said !== undefined && /^(false|0)$/i.test(said) ? 'expandableOff' : 'noSegment';
}
