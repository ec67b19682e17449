import type { Args, Holder, HoldersResult } from '../../app/contract/engine.ts';
import { REGIONS } from '../../app/contract/engine.ts';
import { siteName, stackLines } from './details.ts';
import { engineError } from './errors.ts';
import type { NativeDevice } from './native.ts';
import { COUNTERS, timeOf } from './quantities.ts';
import { areSitesKnown } from './report.ts';
import type { OpenTrace } from './traces.ts';

/** More stacks than any program has. */
const ALL = 2 ** 31 - 1;

/** Everything that is alive at one moment, by call stack. Errors: "owners-unknown". */
export async function holders(entry: OpenTrace, { device, at }: Args<'holders'>): Promise<HoldersResult> {
  const facts = entry.facts.devices[device];
  if (facts === undefined) throw engineError('bad-arguments', 'There is no such device in this trace.');
  if (!areSitesKnown(facts) || (at === 'end' && isOnlyPeakKnown(facts)))
    throw ownersUnknown(entry, areSitesKnown(facts));
  const event = at === 'end' ? facts.events - 1 : (facts.peak ?? peakOfAllocated(entry, device));
  const consumers = await entry.native.consumers(device, event, ALL);
  const frames = new FrameLines();
  return {
    event,
    time: timeOf(entry, device, event),
    holders: consumers.map(({ bytes, count, firstBlock, stack }): Holder => {
      const { site } = entry.native.block(device, firstBlock);
      return {
        bytes: Number(bytes),
        blocks: count,
        site: siteName(entry, device, site, stack),
        kind: kindOf(entry, device, site),
        stack: stackLines(entry, stack).map((line) => frames.rowOf(line)),
      };
    }),
    frames: frames.lines,
  };
}

/** Sites beyond those with a colour of their own are named by their stack, like the others. */
function kindOf(entry: OpenTrace, device: number, site: number): Holder['kind'] {
  const kind = entry.sites(device)[site]?.kind ?? 'other';
  return kind === 'other' ? 'site' : kind;
}

/** Of totals, the owners are known at the one moment of which the capture says so. */
function isOnlyPeakKnown({ layout, hasHistory, events, peak }: NativeDevice): boolean {
  return layout === 'totals' && hasHistory && peak !== events - 1;
}

function peakOfAllocated({ native }: OpenTrace, device: number): number {
  return native.extremes(device)[REGIONS.length]?.peak[COUNTERS.indexOf('allocated')]?.event ?? -1;
}

function ownersUnknown(entry: OpenTrace, isPeakKnown: boolean) {
  return engineError(
    'owners-unknown',
    `${entry.info.name} does not say who holds its memory${isPeakKnown ? ' then' : ''}: it has sizes without addresses.`,
    isPeakKnown
      ? 'Compare at the peak, or record it with addresses or as a snapshot.'
      : 'Record it with addresses or as a snapshot.',
  );
}

/** Each line once, in order of first use. */
class FrameLines {
  readonly #rows = new Map<string, number>();

  get lines(): readonly string[] {
    return [...this.#rows.keys()];
  }

  rowOf(line: string): number {
    const row = this.#rows.get(line) ?? this.#rows.size;
    this.#rows.set(line, row);
    return row;
  }
}
