import type { AxisName, LayoutName, RegionName } from '../../../app/contract/engine.ts';

/** A region, or the sum of all. */
export type LaneRegion = RegionName | 'total';

export type LaneSpec =
  | { readonly kind: 'markers' }
  | { readonly kind: 'annotations'; readonly rows: number }
  | { readonly kind: 'region'; readonly region: LaneRegion; readonly isMain: boolean }
  | { readonly kind: 'bounds'; readonly counter: 'reserved' | 'active' }
  | { readonly kind: 'free'; readonly region: LaneRegion }
  | { readonly kind: 'unused'; readonly region: RegionName }
  | { readonly kind: 'live' }
  | { readonly kind: 'driver' }
  | { readonly kind: 'difference' }
  /** Another device of a set, by its position. */
  | { readonly kind: 'device'; readonly device: number }
  | { readonly kind: 'untimed'; readonly reason: UntimedReason; readonly device: number | null };

/** Why a lane of a set has no place on the axis. */
export type UntimedReason = 'noEventOrder' | 'noTimes' | 'samplesHaveTimes';

export interface Lane {
  readonly id: string;
  readonly spec: LaneSpec;
  readonly top: number;
  readonly height: number;
  readonly isFolded: boolean;
}

/** In a cut-off capture: what was not read, of fixed width because its length is unknown, and the end behind it. */
export const UNREAD_WIDTH = 112;
export const END_WIDTH = 68;

/** A folded lane, and one of a region that is not used, never vanish. */
export const FOLDED_HEIGHT = 28;
const MARKER_HEIGHT = 28;
const ROW_HEIGHT = 20;
/** More rows than this become lower instead of more. */
const FULL_ROWS = 4;
const LOWEST_ROW = 6;

export function laneId(spec: LaneSpec): string {
  switch (spec.kind) {
    case 'region':
    case 'free':
    case 'unused':
      return `${spec.kind}-${spec.region}`;
    case 'bounds':
      return `bounds-${spec.counter}`;
    case 'device':
      return `device-${spec.device}`;
    case 'untimed':
      return `untimed-${spec.device ?? 'driver'}`;
    default:
      return spec.kind;
  }
}

export function annotationRowHeight(rows: number): number {
  return rows <= FULL_ROWS ? ROW_HEIGHT : Math.max(LOWEST_ROW, Math.floor((ROW_HEIGHT * FULL_ROWS) / rows));
}

export interface LaneChoice {
  readonly mode: 'region' | 'total';
  /** Regions that ever held a segment. */
  readonly used: readonly RegionName[];
  /** The region with the highest reserved peak. */
  readonly busiest: RegionName;
  /** The capture is cut off and its totals are bounds. */
  readonly isBounded: boolean;
  readonly layout: LayoutName;
  /** Annotations nest this deep. */
  readonly annotationRows: number;
  readonly set?: SetLanes;
}

/** What a set adds: other devices, and what a driver said. */
export interface SetLanes {
  readonly axis: AxisName;
  /** The devices that are not looked at, by position, and whether they have times. */
  readonly others: readonly { readonly device: number; readonly hasClock: boolean }[];
  readonly driver: 'none' | 'offered' | 'compared';
}

const ORDER: readonly RegionName[] = ['pooled', 'virtual', 'immediate'];

/** Which lanes there are, from top to bottom: the busiest region first, the unused ones folded to a line. */
export function lanesOf(choice: LaneChoice): LaneSpec[] {
  const top: LaneSpec[] = [{ kind: 'markers' }];
  if (choice.annotationRows > 0) top.push({ kind: 'annotations', rows: choice.annotationRows });
  // what is free is known in segments alone, and who is live only of blocks that have an address
  const live: readonly LaneSpec[] = choice.layout === 'totals' ? [] : [{ kind: 'live' }];
  const driver = driverLanes(choice.set);
  const below = [...deviceLanes(choice.set), ...live];
  if (choice.mode === 'total') return [...top, ...totalLanes(choice), ...driver, ...below];
  const others = ORDER.filter((region) => region !== choice.busiest);
  return [
    ...top,
    { kind: 'region', region: choice.busiest, isMain: true },
    ...freeLanes(choice, choice.busiest),
    ...others
      .filter((region) => choice.used.includes(region))
      .map((region): LaneSpec => ({ kind: 'region', region, isMain: false })),
    ...others
      .filter((region) => !choice.used.includes(region))
      .map((region): LaneSpec => ({ kind: 'unused', region })),
    ...driver,
    ...below,
  ];
}

/** Samples have times alone, and each device counts its own events. */
function driverLanes(set: SetLanes | undefined): readonly LaneSpec[] {
  if (set === undefined || set.driver === 'none') return [];
  if (set.axis === 'event') return [{ kind: 'untimed', reason: 'samplesHaveTimes', device: null }];
  const lane: LaneSpec = { kind: 'driver' };
  return set.driver === 'compared' ? [lane, { kind: 'difference' }] : [lane];
}

function deviceLanes(set: SetLanes | undefined): readonly LaneSpec[] {
  if (set === undefined) return [];
  return set.others.map(({ device, hasClock }): LaneSpec => {
    if (!hasClock) return { kind: 'untimed', reason: 'noTimes', device };
    if (set.axis === 'event') return { kind: 'untimed', reason: 'noEventOrder', device };
    return { kind: 'device', device };
  });
}

function freeLanes({ layout }: LaneChoice, region: LaneRegion): readonly LaneSpec[] {
  return layout === 'segments' ? [{ kind: 'free', region }] : [];
}

function totalLanes(choice: LaneChoice): LaneSpec[] {
  return choice.isBounded
    ? [
        { kind: 'bounds', counter: 'reserved' },
        { kind: 'bounds', counter: 'active' },
      ]
    : [{ kind: 'region', region: 'total', isMain: true }, ...freeLanes(choice, 'total')];
}

/** Height when folded or of fixed size; null when it takes a share of the room. */
function fixedHeight(spec: LaneSpec, isFolded: boolean): number | null {
  if (isFolded || spec.kind === 'unused' || spec.kind === 'untimed') return FOLDED_HEIGHT;
  if (spec.kind === 'markers') return MARKER_HEIGHT;
  if (spec.kind === 'annotations') return spec.rows * annotationRowHeight(spec.rows) + 8;
  return null;
}

/** Share of the room and least height of the lanes that stretch. */
function stretch(spec: LaneSpec): { weight: number; least: number } {
  switch (spec.kind) {
    case 'region':
      return spec.isMain ? { weight: 226, least: 120 } : { weight: 78, least: 56 };
    case 'bounds':
      return { weight: 200, least: 120 };
    case 'free':
      return { weight: 84, least: 60 };
    case 'device':
      return { weight: 78, least: 60 };
    case 'driver':
    case 'difference':
      return { weight: 96, least: 76 };
    default:
      return { weight: 230, least: 150 };
  }
}

/**
 * Heights and places. Lanes share the room by weight but never get lower than is readable; what does not fit scrolls.
 * `scale` is the user's lane height (1 = fits the window).
 */
export function layoutLanes(
  specs: readonly LaneSpec[],
  folded: ReadonlySet<string>,
  room: number,
  scale: number,
): Lane[] {
  const lanes = specs.map((spec) => {
    const id = laneId(spec);
    const isFolded = folded.has(id);
    return { id, spec, isFolded, fixed: fixedHeight(spec, isFolded), ...stretch(spec) };
  });
  const fixed = lanes.reduce((sum, lane) => sum + (lane.fixed ?? 0), 0);
  const stretching = lanes.filter((lane) => lane.fixed === null);
  const heights = shareRoom(stretching, Math.max(0, room - fixed));
  let top = 0;
  return lanes.map(({ id, spec, isFolded, fixed: own }) => {
    const height = own ?? Math.round((heights.get(id) ?? 0) * scale);
    top += height;
    return { id, spec, isFolded, top: top - height, height };
  });
}

function shareRoom(
  lanes: readonly { id: string; weight: number; least: number }[],
  room: number,
): Map<string, number> {
  const heights = new Map<string, number>();
  let left = room;
  let weight = lanes.reduce((sum, lane) => sum + lane.weight, 0);
  // the ones that would get too low take their least first, and the rest share what is left
  const tightest = [...lanes].sort((one, other) => one.weight / one.least - other.weight / other.least);
  for (const lane of tightest) {
    const height = Math.max(lane.least, Math.floor((left * lane.weight) / weight));
    heights.set(lane.id, height);
    left = Math.max(0, left - height);
    weight -= lane.weight;
  }
  return heights;
}
