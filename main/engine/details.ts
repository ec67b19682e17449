import type { Args, FrameInfo, Results } from '../../app/contract/engine.ts';
import { REGIONS, type RegionName } from '../../app/contract/engine.ts';
import { hex } from './quantities.ts';
import type { OpenTrace } from './traces.ts';

/** Everything that is known of one row. */

export function block(entry: OpenTrace, args: Args<'block'>): Results['block'] {
  const row = entry.native.block(args.device, args.block);
  const segmentRow = entry.native.segment(args.device, row.segment);
  return {
    ...row,
    block: args.block,
    address: hex(row.address),
    region: regionName(row.region),
    stream: String(row.stream),
    segmentAddress: hex(segmentRow.address),
    segmentBytes: segmentRow.bytes,
    siteName: siteName(entry, args.device, row.site, row.stack),
    stack: framesOf(entry, row.stack),
  };
}

export function segment(entry: OpenTrace, args: Args<'segment'>): Results['segment'] {
  const row = entry.native.segment(args.device, args.segment);
  return {
    ...row,
    segment: args.segment,
    address: hex(row.address),
    region: regionName(row.region),
    stream: String(row.stream),
    stack: framesOf(entry, row.stack),
  };
}

export function event(entry: OpenTrace, args: Args<'event'>): Results['event'] {
  const { row, ...recorded } = entry.native.event(args.device, args.event);
  const isSegment = recorded.action.startsWith('segment_');
  return {
    ...recorded,
    event: args.event,
    address: hex(recorded.address),
    size: Number(recorded.size),
    stream: String(recorded.stream),
    stack: framesOf(entry, recorded.stack),
    block: isSegment || entry.info.devices[args.device]?.layout === 'totals' ? null : row,
    segment: isSegment ? row : null,
  };
}

/** Innermost first; empty when no stack was recorded. */
export function framesOf(entry: OpenTrace, stack: number | null): readonly FrameInfo[] {
  return stack === null ? [] : entry.native.frames(stack);
}

/**
 * What to call the place that asked for a block: the name of its site, or, for one without a rank of its own, the
 * user's innermost line.
 */
export function siteName(entry: OpenTrace, device: number, site: number, stack: number | null): string {
  const known = entry.sites(device)[site];
  if (known !== undefined && known.kind !== 'other') return known.name;
  const own = framesOf(entry, stack).find((frame) => !frame.isFolded);
  if (own === undefined) return known?.name ?? '';
  const file = own.file.split(/[\\/]/).at(-1);
  return own.line === 0 ? `${file}` : `${file}:${own.line}`;
}

/** "function (file:line)", innermost first; operations of a framework have no file, lines of some logs no function. */
export function stackLines(entry: OpenTrace, stack: number | null): readonly string[] {
  return framesOf(entry, stack).map(({ name, file, line }) => {
    if (file === '') return name;
    return name === '' ? `${file}:${line}` : `${name} (${file}:${line})`;
  });
}

function regionName(region: number): RegionName {
  return REGIONS[region] as RegionName;
}
