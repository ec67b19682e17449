import { useMemo } from 'react';
import type {
  LiveBlocksResult,
  MarkersResult,
  RegionName,
  SeriesResult,
  SiteInfo,
} from '../../../app/contract/engine.ts';
import { REGIONS } from '../../../app/contract/engine.ts';
import type { EngineError } from '../../../app/contract/error.ts';
import type { Finals, ReportDevice } from '../../../app/contract/report.ts';
import { windowFor } from '../../charts/columns.ts';
import { useQuery } from '../../engine/use-query.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import { fullRange } from '../../state/store.ts';

/** Everything the Timeline asks of the engine. */
export interface TimelineData {
  readonly series: SeriesResult | null;
  readonly live: LiveBlocksResult | null;
  readonly marks: MarkersResult;
  readonly sites: readonly SiteInfo[];
  readonly settings: Readonly<Record<string, string>> | null;
  readonly report: ReportDevice | null;
  readonly isBusy: boolean;
  /** Every answer is that of the visible window. */
  readonly isComplete: boolean;
  readonly error: EngineError | null;
}

const NO_MARKS: MarkersResult = { markers: [], annotations: [] };
const NO_SITES: readonly SiteInfo[] = [];

export function useTimelineData(width: number, liveHeight: number, pixelRatio: number): TimelineData {
  const { info, device, axis, range } = useActiveTrace();
  const on = { trace: info.trace, device };
  const full = fullRange(info, device, axis);
  const window = width > 0 ? windowFor(axis, range, full, width, pixelRatio) : null;
  const rows = Math.max(8, Math.min(8192, Math.round(liveHeight * pixelRatio)));
  const series = useQuery('series', window === null ? null : { ...on, window });
  const live = useQuery('liveBlocks', window === null ? null : { ...on, window, pixelRows: rows });
  const marks = useQuery('markers', on);
  const sites = useQuery('sites', on);
  const settings = useQuery('settings', { trace: info.trace });
  const report = useQuery('report', { trace: info.trace });
  return {
    series: series.data?.window.axis === axis ? series.data : null,
    live: live.data?.window.axis === axis ? live.data : null,
    marks: marks.data ?? NO_MARKS,
    sites: sites.data ?? NO_SITES,
    settings: settings.data,
    report: report.data?.devices[device] ?? null,
    isBusy: series.isStale || live.isStale,
    isComplete: series.data !== null && live.data !== null && !series.isStale && !live.isStale,
    error: series.error ?? live.error,
  };
}

/** The region with the highest reserved peak; pooled until the report is there. */
export function busiestRegion(report: ReportDevice | null, used: readonly RegionName[]): RegionName {
  const peakOf = (region: RegionName) => report?.regions[region].peak.reserved.bytes ?? 0;
  const first = used.includes('pooled') ? 'pooled' : (used[0] ?? 'pooled');
  return REGIONS.reduce((best, region) => (peakOf(region) > peakOf(best) ? region : best), first);
}

/** What a cut-off capture leaves open; null when it is complete. */
export interface Damage {
  readonly extra: Finals | null;
  /** The end as the capture stores it; null when it was not reached. */
  readonly end: Finals | null;
}

export function useDamage(report: ReportDevice | null): Damage | null {
  const { info } = useActiveTrace();
  return useMemo(
    () =>
      info.isComplete ? null : { extra: report?.possible_extra ?? null, end: report?.stored_end ?? null },
    [info.isComplete, report],
  );
}
