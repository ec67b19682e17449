import type { Args, MetricName, RegionSeries, Results, SeriesColumns } from '../../app/contract/engine.ts';
import { METRICS, REGIONS, type RegionName, type WindowArg } from '../../app/contract/engine.ts';
import { engineError } from './errors.ts';
import { hex } from './quantities.ts';
import type { OpenTrace } from './traces.ts';

/** What fills the pixels of a view: columns over a window. */

export async function series(entry: OpenTrace, args: Args<'series'>): Promise<Results['series']> {
  const { window } = args;
  const values = await entry.native.series(args.device, ...spread(window));
  const [total, ...regions] = [REGIONS.length, ...REGIONS.keys()].map((row) =>
    regionSeries(values, row, window.columns),
  ) as [RegionSeries, ...RegionSeries[]];
  const named = Object.fromEntries(REGIONS.map((name, row) => [name, regions[row]]));
  return { window, regions: named as Record<RegionName, RegionSeries>, total };
}

export async function liveBlocks(entry: OpenTrace, args: Args<'liveBlocks'>): Promise<Results['liveBlocks']> {
  const live = await entry.native.liveBlocks(args.device, ...spread(args.window), args.pixelRows);
  return { window: args.window, ...live };
}

export async function map(entry: OpenTrace, args: Args<'map'>): Promise<Results['map']> {
  const { device, window, fromOffset, toOffset, rows } = args;
  if (!(toOffset > fromOffset)) {
    throw engineError('bad-arguments', 'Argument "toOffset" must be above "fromOffset".');
  }
  const region = REGIONS.indexOf(args.region);
  const cells = await entry.native.map(device, region, ...spread(window), fromOffset, toOffset, rows);
  return { window, rows, fromOffset, toOffset, ...cells };
}

export async function ranges(entry: OpenTrace, args: Args<'ranges'>): Promise<Results['ranges']> {
  const { address, bytes, offset } = await entry.native.ranges(args.device, REGIONS.indexOf(args.region));
  return Array.from(address, (one, row) => ({
    address: hex(one),
    bytes: bytes[row] as number,
    offset: offset[row] as number,
  }));
}

function spread(window: WindowArg): [isTime: boolean, from: number, to: number, columns: number] {
  if (!(window.to > window.from)) {
    throw engineError('bad-arguments', 'Argument "window" must end after it begins.');
  }
  return [window.axis === 'time', window.from, window.to, window.columns];
}

/** Views into the one array that the addon filled: [region][metric][min, max, last][column]. */
function regionSeries(values: Float64Array, region: number, columns: number): RegionSeries {
  const metric = (position: number): SeriesColumns => {
    const start = (region * METRICS.length + position) * 3 * columns;
    const part = (which: number) => values.subarray(start + which * columns, start + (which + 1) * columns);
    return { min: part(0), max: part(1), last: part(2) };
  };
  const named = Object.fromEntries(METRICS.map((name, position) => [name, metric(position)]));
  return named as Record<MetricName, SeriesColumns>;
}
