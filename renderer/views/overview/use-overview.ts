import type { MarkersResult, MomentResult, SiteInfo } from '../../../app/contract/engine.ts';
import type { Report, ReportDevice } from '../../../app/contract/report.ts';
import { useRunCommand } from '../../commands/use-commands.ts';
import { useQuery } from '../../engine/use-query.ts';
import { useActiveTrace, useUpdateTrace } from '../../state/active-trace.ts';
import type { TraceState } from '../../state/store.ts';

/** What the Overview shows of one device. */
export interface OverviewData {
  readonly report: Report;
  readonly device: ReportDevice;
  /** After the event of the highest reserved bytes. */
  readonly peak: MomentResult;
  /** After the event of the highest allocated bytes, where the consumers are counted. */
  readonly allocatedPeak: MomentResult;
  readonly sites: readonly SiteInfo[];
  readonly marks: MarkersResult;
  /** No events: the peak is the only moment there is. */
  readonly isInstant: boolean;
}

export function useOverview(): OverviewData | null {
  const { info, device } = useActiveTrace();
  const onDevice = { trace: info.trace, device };
  const { data: report } = useQuery('report', { trace: info.trace });
  const one = report?.devices[device];
  const at = (event: number | undefined) => (event === undefined ? null : { ...onDevice, event });
  const { data: peak } = useQuery('moment', at(one?.peak.reserved.event));
  const { data: allocatedPeak } = useQuery('moment', at(one?.peak.allocated.event));
  const { data: sites } = useQuery('sites', onDevice);
  const { data: marks } = useQuery('markers', onDevice);
  if (report === null || one === undefined) return null;
  if (peak === null || allocatedPeak === null || sites === null || marks === null) return null;
  return { report, device: one, peak, allocatedPeak, sites, marks, isInstant: one.events === 0 };
}

/** Opens the view that proves a statement, with the cursor where it is true. */
export function useProof(): (view: 'timeline' | 'map', change: Partial<Omit<TraceState, 'info'>>) => void {
  const update = useUpdateTrace();
  const run = useRunCommand();
  return (view, change) => {
    update(change);
    run(view);
  };
}
