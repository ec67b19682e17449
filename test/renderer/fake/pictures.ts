import {
  type FoldedRange,
  type LiveBlocksResult,
  type MapResult,
  METRICS,
  type MetricName,
  REGIONS,
  type RegionName,
  type RegionSeries,
  type SeriesColumns,
  type SeriesResult,
  type StateResult,
  type WindowArg,
} from '../../../app/contract/engine.ts';
import type { FakeDevice } from './fake-trace.ts';
import { holesOf, isAlive } from './simulate.ts';

/** Bulk answers about a made-up trace, by looking at every event of every column. */

/** First and last event that lie in a column, or the one in force twice when none does. */
function eventsOf(device: FakeDevice, window: WindowArg, column: number): readonly [number, number] {
  const width = (window.to - window.from) / window.columns;
  const from = window.from + column * width;
  const to = from + width;
  const before = (limit: number) => {
    if (window.axis === 'event') return Math.min(Math.ceil(limit) - 1, device.last);
    let event = -1;
    while (event < device.last && (device.timeOf(event + 1) ?? 0) < limit) event++;
    return event;
  };
  const last = before(to);
  return [Math.min(before(from) + 1, last), last];
}

function metric(device: FakeDevice, region: RegionName | 'total', name: MetricName, event: number): number {
  const moment = device.moment(event);
  return (region === 'total' ? moment.total : moment.regions[region])[name] ?? 0;
}

export function seriesOf(device: FakeDevice, window: WindowArg): SeriesResult {
  const spans = Array.from({ length: window.columns }, (_, column) => eventsOf(device, window, column));
  const columnsOf = (region: RegionName | 'total', name: MetricName): SeriesColumns => {
    const result = {
      min: new Float64Array(window.columns),
      max: new Float64Array(window.columns),
      last: new Float64Array(window.columns),
    };
    spans.forEach(([from, to], column) => {
      const values: number[] = [];
      for (let event = from; event <= to; event++) values.push(metric(device, region, name, event));
      result.min[column] = Math.min(...values);
      result.max[column] = Math.max(...values);
      result.last[column] = values.at(-1) ?? 0;
    });
    return result;
  };
  const all = (region: RegionName | 'total') =>
    Object.fromEntries(METRICS.map((name) => [name, columnsOf(region, name)])) as Record<
      MetricName,
      SeriesColumns
    > satisfies RegionSeries;
  return {
    window,
    regions: { immediate: all('immediate'), pooled: all('pooled'), virtual: all('virtual') },
    total: all('total'),
  };
}

export function liveBlocksOf(device: FakeDevice, window: WindowArg): LiveBlocksResult {
  const moment = new Int32Array(window.columns);
  const firstRun = new Uint32Array(window.columns + 1);
  const runs: { block: number; site: number; bytes: number }[] = [];
  for (let column = 0; column < window.columns; column++) {
    const [from, to] = eventsOf(device, window, column);
    let best = from;
    for (let event = from; event <= to; event++) {
      if (device.moment(event).total.active > device.moment(best).total.active) best = event;
    }
    moment[column] = best;
    firstRun[column] = runs.length;
    const alive = device.simulation.blocks
      .map((block, row) => ({
        block: row,
        site: block.site,
        bytes: block.bytes,
        birth: block.birth,
        isIn: isAlive(block, best),
      }))
      .filter((block) => block.isIn)
      .sort((one, other) => one.site - other.site || one.birth - other.birth);
    runs.push(...alive);
  }
  firstRun[window.columns] = runs.length;
  return {
    window,
    moment,
    firstRun,
    block: Uint32Array.from(runs, (run) => run.block),
    site: Uint16Array.from(runs, (run) => run.site),
    bytes: Float64Array.from(runs, (run) => run.bytes),
    blockCount: Uint32Array.from(runs, () => 1),
  };
}

export function rangesOf(device: FakeDevice, region: RegionName): FoldedRange[] {
  const segments = device.simulation.segments
    .filter((segment) => segment.region === region)
    .sort((one, other) => one.address - other.address);
  const ranges: { address: number; bytes: number }[] = [];
  for (const segment of segments) {
    const last = ranges.at(-1);
    if (last !== undefined && last.address + last.bytes === segment.address) last.bytes += segment.bytes;
    else ranges.push({ address: segment.address, bytes: segment.bytes });
  }
  let offset = 0;
  return ranges.map((range) => {
    const folded: FoldedRange = { address: `0x${range.address.toString(16)}`, bytes: range.bytes, offset };
    offset += range.bytes;
    return folded;
  });
}

export function mapOf(
  device: FakeDevice,
  region: RegionName,
  window: WindowArg,
  fromOffset: number,
  toOffset: number,
  rows: number,
): MapResult {
  const cells = rows * window.columns;
  const mapped = new Float64Array(cells);
  const occupied = new Float64Array(cells);
  const best = new Float64Array(cells);
  const site = new Uint16Array(cells).fill(0xffff);
  const ranges = rangesOf(device, region);
  const height = (toOffset - fromOffset) / rows;
  const offsetOf = (address: number) => {
    const range = ranges.find(
      (one) => address >= Number(one.address) && address < Number(one.address) + one.bytes,
    );
    return range === undefined ? 0 : range.offset + address - Number(range.address);
  };
  const paint = (
    column: number,
    from: number,
    bytes: number,
    paintCell: (cell: number, share: number) => void,
  ) => {
    const low = Math.max(from, fromOffset);
    const high = Math.min(from + bytes, toOffset);
    for (let row = Math.max(0, Math.floor((low - fromOffset) / height)); row < rows; row++) {
      const bottom = fromOffset + row * height;
      if (bottom >= high) break;
      const share = (Math.min(high, bottom + height) - Math.max(low, bottom)) / height;
      if (share > 0) paintCell(row * window.columns + column, share);
    }
  };
  for (let column = 0; column < window.columns; column++) {
    const event = eventsOf(device, window, column)[1];
    for (const segment of device.simulation.segments) {
      if (segment.region !== region || !isAlive(segment, event)) continue;
      paint(column, offsetOf(segment.address), segment.bytes, (cell, share) => {
        mapped[cell] = (mapped[cell] ?? 0) + share;
      });
    }
    for (const block of device.simulation.blocks) {
      if (block.region !== region || !isAlive(block, event)) continue;
      paint(column, offsetOf(block.address), block.bytes, (cell, share) => {
        occupied[cell] = (occupied[cell] ?? 0) + share;
        if (share > (best[cell] ?? 0)) {
          best[cell] = share;
          site[cell] = block.site;
        }
      });
    }
  }
  const shares = (values: Float64Array) =>
    Uint8Array.from(values, (value) => Math.round(Math.min(1, value) * 255));
  return { window, rows, fromOffset, toOffset, mapped: shares(mapped), occupied: shares(occupied), site };
}

export function stateOf(device: FakeDevice, event: number): StateResult {
  const { blocks, segments } = device.simulation;
  const alive = segments
    .map((segment, row) => ({ segment, row }))
    .filter(({ segment }) => isAlive(segment, event))
    .sort((one, other) => one.segment.address - other.segment.address);
  const inside = alive.map(({ segment, row }) => ({
    segment,
    row,
    holes: holesOf(blocks, segment, row, event),
    rows: blocks
      .map((block, at) => ({ block, at }))
      .filter(({ block }) => block.segment === row && isAlive(block, event))
      .sort((one, other) => one.block.address - other.block.address),
  }));
  const flat = inside.flatMap(({ segment, rows }) => rows.map((one) => ({ ...one, segment })));
  let first = 0;
  const firstBlock = inside.map(({ rows }) => {
    const at = first;
    first += rows.length;
    return at;
  });
  return {
    event,
    segmentAddress: BigUint64Array.from(inside, ({ segment }) => BigInt(segment.address)),
    segmentBytes: Float64Array.from(inside, ({ segment }) => segment.bytes),
    segmentActive: Float64Array.from(inside, ({ rows }) =>
      rows.reduce((sum, { block }) => sum + block.bytes, 0),
    ),
    segmentLargestFree: Float64Array.from(inside, ({ holes }) =>
      Math.max(0, ...holes.map((hole) => hole.bytes)),
    ),
    segmentRow: Uint32Array.from(inside, ({ row }) => row),
    segmentRegion: Uint8Array.from(inside, ({ segment }) => REGIONS.indexOf(segment.region)),
    segmentFirstBlock: Uint32Array.from([...firstBlock, first]),
    blockRow: Uint32Array.from(flat, ({ at }) => at),
    blockOffset: Float64Array.from(flat, ({ block, segment }) => block.address - segment.address),
    blockBytes: Float64Array.from(flat, ({ block }) => block.bytes),
    blockPending: Uint8Array.from(flat, () => 0),
    blockSite: Uint16Array.from(flat, ({ block }) => block.site),
  };
}
