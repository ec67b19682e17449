import type { Holder, HoldersResult } from '../contract/engine.ts';
import type { Bytes } from './units.ts';

/** What changed between two moments, by call stack. Everything is "after − before". */

export const CHANGES = ['new', 'grown', 'shrunk', 'gone'] as const;
export type Change = (typeof CHANGES)[number];

export interface Held {
  readonly bytes: Bytes;
  readonly blocks: number;
}

export interface SiteDifference {
  readonly change: Change;
  readonly site: string;
  readonly kind: Holder['kind'];
  /** "function (file:line)", innermost first; empty when no stack was recorded. */
  readonly stack: readonly string[];
  readonly before: Held;
  readonly after: Held;
}

export interface Difference {
  readonly before: Held;
  readonly after: Held;
  /** Those that changed, by growth in bytes, then in blocks: what shrank most comes last. */
  readonly sites: readonly SiteDifference[];
  readonly changed: Readonly<Record<Change, { readonly sites: number; readonly bytes: Bytes }>>;
  /** Stacks that hold the same, in as many blocks. */
  readonly unchanged: Held & { readonly sites: number };
}

export type HolderTable = Pick<HoldersResult, 'frames' | 'holders'>;

const NOTHING: Held = { bytes: 0, blocks: 0 };

/** Stacks are the same when all of their frames are; those without a stack are told apart by their site. */
export function differenceOf(before: HolderTable, after: HolderTable): Difference {
  const old = byStack(before);
  const now = byStack(after);
  const sites: SiteDifference[] = [];
  const unchanged = { sites: 0, bytes: 0, blocks: 0 };
  for (const key of new Set([...old.keys(), ...now.keys()])) {
    const [one, other] = [old.get(key), now.get(key)];
    const { site, kind, stack } = (other ?? one) as Stacked;
    const difference = { site, kind, stack, before: one?.held ?? NOTHING, after: other?.held ?? NOTHING };
    const change = changeOf(difference.before, difference.after);
    if (change !== null) {
      sites.push({ change, ...difference });
      continue;
    }
    unchanged.sites += 1;
    unchanged.bytes += difference.after.bytes;
    unchanged.blocks += difference.after.blocks;
  }
  sites.sort(byGrowth);
  return {
    before: sumOf(before.holders),
    after: sumOf(after.holders),
    sites,
    changed: sumsByChange(sites),
    unchanged,
  };
}

/** Of bytes; of those that hold as many, of blocks. */
function growthOf({ before, after }: Pick<SiteDifference, 'before' | 'after'>): readonly [number, number] {
  return [after.bytes - before.bytes, after.blocks - before.blocks];
}

function changeOf(before: Held, after: Held): Change | null {
  const [bytes, blocks] = growthOf({ before, after });
  if (bytes === 0 && blocks === 0) return null;
  if (before.blocks === 0) return 'new';
  if (after.blocks === 0) return 'gone';
  return (bytes === 0 ? blocks : bytes) > 0 ? 'grown' : 'shrunk';
}

function byGrowth(one: SiteDifference, other: SiteDifference): number {
  const [oneBytes, oneBlocks] = growthOf(one);
  const [otherBytes, otherBlocks] = growthOf(other);
  return otherBytes - oneBytes || otherBlocks - oneBlocks || (one.site < other.site ? -1 : 1);
}

interface Stacked {
  readonly site: string;
  readonly kind: Holder['kind'];
  readonly stack: readonly string[];
  held: Held;
}

function byStack({ frames, holders }: HolderTable): Map<string, Stacked> {
  const stacks = new Map<string, Stacked>();
  for (const { bytes, blocks, site, kind, stack } of holders) {
    const lines = stack.map((row) => frames[row] ?? '');
    const key = lines.length > 0 ? lines.join('\n') : `\0${kind} ${site}`;
    const known = stacks.get(key);
    if (known === undefined) stacks.set(key, { site, kind, stack: lines, held: { bytes, blocks } });
    else known.held = { bytes: known.held.bytes + bytes, blocks: known.held.blocks + blocks };
  }
  return stacks;
}

function sumOf(holders: readonly Held[]): Held {
  return holders.reduce(
    (sum, one) => ({ bytes: sum.bytes + one.bytes, blocks: sum.blocks + one.blocks }),
    NOTHING,
  );
}

function sumsByChange(sites: readonly SiteDifference[]): Difference['changed'] {
  const sums = Object.fromEntries(CHANGES.map((change) => [change, { sites: 0, bytes: 0 }])) as Record<
    Change,
    { sites: number; bytes: number }
  >;
  for (const one of sites) {
    sums[one.change].sites += 1;
    sums[one.change].bytes += one.after.bytes - one.before.bytes;
  }
  return sums;
}

/** A device as far as it says which of another trace's it is. */
export interface DeviceKey {
  readonly ordinal: number;
  readonly kind: string;
  readonly allocator: string | null;
}

/** Which device of one trace is which of another: by the name of its allocator, else by kind and ordinal. */
export function pairDevices(
  before: readonly DeviceKey[],
  after: readonly DeviceKey[],
): readonly { readonly before: number | null; readonly after: number | null }[] {
  const left = new Set(before.keys());
  const pairs: { before: number | null; after: number | null }[] = after.map((device, position) => {
    const found = [...left].find((row) => isSameDevice(before[row] as DeviceKey, device)) ?? null;
    if (found !== null) left.delete(found);
    return { before: found, after: position };
  });
  return [...pairs, ...[...left].map((row) => ({ before: row, after: null }))];
}

function isSameDevice(one: DeviceKey, other: DeviceKey): boolean {
  if (one.allocator !== null && other.allocator !== null) return one.allocator === other.allocator;
  return one.kind === other.kind && one.ordinal === other.ordinal;
}
