import { useMemo } from 'react';
import type { AxisName, MarkersResult, RegionName, SiteInfo } from '../../../app/contract/engine.ts';
import { REGIONS } from '../../../app/contract/engine.ts';
import type { EngineError } from '../../../app/contract/error.ts';
import type { Finals, PossibleExtra, ReportDevice } from '../../../app/contract/report.ts';
import type { Bytes } from '../../../app/domain/units.ts';
import { useWindowQuery, type WindowAnswers } from '../../charts/window-query.ts';
import { useQuery } from '../../engine/use-query.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import { type Driver, useDriver } from './use-driver.ts';

/** Everything the Timeline asks of the engine. */
export interface TimelineData {
  readonly series: WindowAnswers<'series'>;
  readonly live: WindowAnswers<'liveBlocks'>;
  readonly driver: Driver;
  readonly marks: MarkersResult;
  readonly sites: readonly SiteInfo[];
  readonly settings: Readonly<Record<string, string>> | null;
  readonly report: ReportDevice | null;
  /** Every answer is that of the visible window, in this frame. */
  readonly isComplete: () => boolean;
  readonly error: EngineError | null;
}

const NO_MARKS: MarkersResult = { markers: [], annotations: [] };
const NO_SITES: readonly SiteInfo[] = [];

export function useTimelineData(width: number, liveHeight: number, pixelRatio: number): TimelineData {
  const { info, device, axis } = useActiveTrace();
  const on = { trace: info.trace, device };
  const size = width > 0 ? { width, pixelRatio } : null;
  const pixelRows = Math.max(8, Math.min(8192, Math.round(liveHeight * pixelRatio)));
  const series = useWindowQuery('series', size, (window) => ({ ...on, window }));
  const live = useWindowQuery('liveBlocks', size, (window) => ({ ...on, window, pixelRows }));
  const driver = useDriver(size);
  const marks = useQuery('markers', on);
  const sites = useQuery('sites', on);
  const settings = useQuery('settings', { trace: info.trace });
  const ownSettings = info.parts[info.devices[device]?.part ?? -1]?.settings;
  const report = useQuery('report', { trace: info.trace });
  return {
    series,
    live,
    driver,
    marks: marks.data ?? NO_MARKS,
    sites: sites.data ?? NO_SITES,
    settings: ownSettings ?? settings.data,
    report: report.data?.devices[device] ?? null,
    isComplete: () =>
      series.isComplete() && live.isComplete() && (!isTimed(driver, axis) || driver.answers.isComplete()),
    error: series.error ?? live.error ?? driver.answers.error,
  };
}

const isTimed = ({ figure }: Driver, axis: AxisName) => figure !== null && axis === 'time';

/** The region with the highest reserved peak; pooled until the report is there. */
export function busiestRegion(report: ReportDevice | null, used: readonly RegionName[]): RegionName {
  const peakOf = (region: RegionName) => report?.regions[region].peak.reserved.bytes ?? 0;
  const first = used.includes('pooled') ? 'pooled' : (used[0] ?? 'pooled');
  return REGIONS.reduce((best, region) => (peakOf(region) > peakOf(best) ? region : best), first);
}

/** What a cut-off capture leaves open; null when it is complete. */
export interface Damage {
  readonly extra: { readonly reserved: Bytes; readonly active: Bytes } | null;
  /** The end as the capture stores it; null when it was not reached. */
  readonly end: Finals | null;
}

export function useDamage(report: ReportDevice | null): Damage | null {
  const { info } = useActiveTrace();
  return useMemo(
    () =>
      info.isComplete
        ? null
        : { extra: upperBounds(report?.possible_extra ?? null), end: report?.stored_end ?? null },
    [info.isComplete, report],
  );
}

/** Where nothing says how much more there was, there is no upper bound to draw. */
function upperBounds(extra: PossibleExtra | null): Damage['extra'] {
  if (extra === null || extra.reserved === null || extra.active === null) return null;
  return { reserved: extra.reserved, active: extra.active };
}
