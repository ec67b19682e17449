import type { MarkersResult, MomentResult, SiteInfo } from '../../../app/contract/engine.ts';
import type { EngineError } from '../../../app/contract/error.ts';
import type { Report, ReportDevice } from '../../../app/contract/report.ts';
import { useRunCommand } from '../../commands/use-commands.ts';
import { useQuery } from '../../engine/use-query.ts';
import { useActiveDevice, useActiveTrace, useUpdateTrace } from '../../state/active-trace.ts';
import { reportOfDevice } from '../../state/device-view.ts';
import type { TraceState } from '../../state/store.ts';

/** What the Overview shows of one device. */
export interface OverviewData {
  readonly report: Report;
  readonly device: ReportDevice;
  /** After the event that is shown as the peak. */
  readonly peak: MomentResult;
  /** After the event of the highest allocated bytes, where the consumers are counted. */
  readonly allocatedPeak: MomentResult;
  readonly sites: readonly SiteInfo[];
  readonly marks: MarkersResult;
  /** One state, and at most the failure that wrote it: the peak is the only moment there is. */
  readonly isInstant: boolean;
}

export interface OverviewQuery {
  /** Null until every answer is there. */
  readonly data: OverviewData | null;
  readonly error: EngineError | null;
}

export function useOverview(): OverviewQuery {
  const { info, device } = useActiveTrace();
  const { peakEvent, isPeakOfActive } = useActiveDevice();
  const onDevice = { trace: info.trace, device };
  const reported = useQuery('report', { trace: info.trace });
  const report = reported.data === null ? null : reportOfDevice(reported.data, device);
  const one = report?.devices[device];
  const at = (event: number | undefined) => (event === undefined ? null : { ...onDevice, event });
  const peak = useQuery('moment', at(one === undefined ? undefined : peakEvent));
  const allocatedPeak = useQuery('moment', at(isPeakOfActive ? peakEvent : one?.peak.allocated.event));
  const sites = useQuery('sites', onDevice);
  const marks = useQuery('markers', onDevice);
  const error =
    [reported, peak, allocatedPeak, sites, marks].find((query) => query.error !== null)?.error ?? null;
  if (report === null || one === undefined || peak.data === null || allocatedPeak.data === null) {
    return { data: null, error };
  }
  if (sites.data === null || marks.data === null) return { data: null, error };
  const data: OverviewData = {
    report,
    device: one,
    peak: peak.data,
    allocatedPeak: allocatedPeak.data,
    sites: sites.data,
    marks: marks.data,
    isInstant: !one.has_history && one.events <= 1,
  };
  return { data, error };
}

/** One instant has no timeline, but a map of what lies where; of totals of one instant there is nothing to see. */
export function viewOfFailures(data: OverviewData): 'timeline' | 'map' | null {
  if (!data.isInstant) return 'timeline';
  return data.device.layout === 'totals' || data.peak.total.blocks === 0 ? null : 'map';
}

/** Opens the view that proves a statement, with the cursor where it is true. */
export function useProof(): (
  view: 'timeline' | 'map' | 'whatIf',
  change: Partial<Omit<TraceState, 'info'>>,
) => void {
  const update = useUpdateTrace();
  const run = useRunCommand();
  return (view, change) => {
    update(change);
    run(view);
  };
}
