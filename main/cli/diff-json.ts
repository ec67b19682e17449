import { CHANGES, type Held } from '../../app/domain/difference.ts';
import type { CaptureDifference, DeviceDifference, Side } from './diff-command.ts';

/** The difference of two captures in the schema "strata.diff/1" (DIFF.md). */
export function diffJson({ at, before, after, devices }: CaptureDifference): string {
  const json = {
    schema: 'strata.diff/1',
    at,
    before: sideOf(before),
    after: sideOf(after),
    devices: devices.map(deviceOf),
  };
  return `${JSON.stringify(json, null, 2)}\n`;
}

function sideOf({ file, info, damage }: Side) {
  const { format, producer } = info;
  return { file, format, producer, complete: info.isComplete && damage.length === 0 };
}

function deviceOf({ ordinal, kind, allocator, before, after, difference }: DeviceDifference) {
  return {
    ordinal,
    kind,
    allocator,
    before: { event: before?.event ?? null, time_ns: before?.time ?? null, ...difference.before },
    after: { event: after?.event ?? null, time_ns: after?.time ?? null, ...difference.after },
    delta: deltaOf(difference.before, difference.after),
    changed: Object.fromEntries(CHANGES.map((change) => [change, difference.changed[change]])),
    unchanged: difference.unchanged,
    sites: difference.sites.map(({ change, site, stack, before: old, after: now }) => ({
      change,
      site,
      before: old,
      after: now,
      delta: deltaOf(old, now),
      stack,
    })),
  };
}

const deltaOf = (before: Held, after: Held) => ({
  bytes: after.bytes - before.bytes,
  blocks: after.blocks - before.blocks,
});
