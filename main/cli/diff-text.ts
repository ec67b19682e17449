import type { Difference, Held, SiteDifference } from '../../app/domain/difference.ts';
import { formatByteDifference, formatBytes, formatCount, plainSpaces } from '../../app/domain/format.ts';
import { visibleText } from '../../app/domain/visible-text.ts';
import type { CaptureDifference, DeviceDifference } from './diff-command.ts';
import { alignTable, type Cell, right } from './table.ts';

/** So many of those that grew most, and of those that shrank most; JSON has all. */
const MOST_SITES = 20;
const FRAMES_SHOWN = 6;

/** The difference of two captures for people. */
export function diffText({ at, before, after, devices }: CaptureDifference): string {
  const lines = [
    `before  ${before.file}`,
    `after   ${after.file}`,
    at === 'peak' ? 'each at its peak of allocated bytes' : 'each at its end',
    ...devices.flatMap(deviceText),
  ];
  return `${lines.map(visibleText).join('\n')}\n`;
}

function deviceText(device: DeviceDifference): string[] {
  const { difference, before, after } = device;
  const name = `device ${device.ordinal} ${device.kind}`;
  const rows: Cell[][] = [
    totalRow('before', difference.before, before),
    totalRow('after', difference.after, after),
    ['change', ...growthCells(difference.before, difference.after)],
  ];
  return [
    '',
    `  ${device.allocator === null ? name : `${name}   ${device.allocator}`}`,
    ...alignTable(rows, '    '),
    ...sums(difference),
    ...sitesText(difference.sites),
  ];
}

function totalRow(side: string, held: Held, there: DeviceDifference['before']): Cell[] {
  const absent = there === null ? 'no such device in this capture' : '';
  return [side, right(size(held.bytes)), right(exact(held.bytes)), right(blocks(held.blocks)), absent];
}

function growthCells(before: Held, after: Held): Cell[] {
  const bytes = after.bytes - before.bytes;
  const count = after.blocks - before.blocks;
  return [
    right(plainSpaces(formatByteDifference(bytes))),
    right(`${signed(bytes)} B`),
    right(`${signed(count)} ${Math.abs(count) === 1 ? 'block' : 'blocks'}`),
  ];
}

function sums({ changed, unchanged }: Difference): string[] {
  const rows = (['new', 'grown', 'shrunk', 'gone'] as const).flatMap((change): Cell[][] => {
    const { sites, bytes } = changed[change];
    if (sites === 0) return [];
    return [[change, right(counted(sites, 'call stack')), right(plainSpaces(formatByteDifference(bytes)))]];
  });
  if (unchanged.sites > 0)
    rows.push(['unchanged', right(counted(unchanged.sites, 'call stack')), right(size(unchanged.bytes))]);
  return rows.length === 0 ? ['', '    nothing is held in either'] : ['', ...alignTable(rows, '    ')];
}

/** Growth first; of many, both ends are shown. */
function sitesText(sites: readonly SiteDifference[]): string[] {
  if (sites.length <= 2 * MOST_SITES) return sites.flatMap(siteText);
  const left = sites.length - 2 * MOST_SITES;
  return [
    ...sites.slice(0, MOST_SITES).flatMap(siteText),
    '',
    `    … ${counted(left, 'more call stack')} between: --json lists all`,
    ...sites.slice(-MOST_SITES).flatMap(siteText),
  ];
}

function siteText({ change, site, stack, before, after }: SiteDifference): string[] {
  const growth = after.bytes - before.bytes;
  const bytes = `${plainSpaces(formatByteDifference(growth))} (${signed(growth)} B)`;
  const from = `${size(before.bytes)} in ${formatCount(before.blocks)}`;
  const to = `${size(after.bytes)} in ${formatCount(after.blocks)}`;
  const shown = stack.slice(0, FRAMES_SHOWN).map((line) => `        ${line}`);
  const left = stack.length - shown.length;
  return [
    '',
    `    ${bytes}   ${change}   ${site === '' ? 'no stack' : site}   (${from} → ${to})`,
    ...shown,
    ...(left > 0 ? [`        and ${counted(left, 'more frame')}`] : []),
  ];
}

const size = (bytes: number) => plainSpaces(formatBytes(bytes));
const exact = (bytes: number) => `${formatCount(bytes)} B`;
const blocks = (count: number) => counted(count, 'block');
const signed = (value: number) => (value > 0 ? `+${formatCount(value)}` : formatCount(value));
const counted = (count: number, what: string) => `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
