import type { RegionName } from '../../../app/contract/engine.ts';
import type { Recording } from '../../../app/domain/runs.ts';
import type { SharedScale } from './rows.ts';

type Numbers = Pick<Recording, 'activeAtPeak' | 'peakReserved' | 'lowerBound' | 'capacity'>;

interface Props {
  readonly run: Numbers;
  /** The result of changed settings, beside the old one. */
  readonly preview: Pick<Numbers, 'peakReserved'> | null;
  readonly scale: SharedScale;
  readonly region: RegionName;
  readonly title: string;
}

/** The peak as a bar: active solid, free hatched, a tick at its end, dashes at the lower bound, a line at the device's end. */
export function PeakBar({ run, preview, scale, region, title }: Props) {
  const share = (bytes: number) => `${Math.min(100, (100 * bytes) / scale.top)}%`;
  const isCut = run.peakReserved > scale.top;
  const limit = run.capacity !== null && run.capacity <= scale.top ? run.capacity : null;
  return (
    <div className="peak-bar" title={title} aria-hidden="true">
      <div className="peak-bar-rail" />
      <div className="peak-bar-free fill-cached" style={{ width: share(run.peakReserved) }} />
      <div
        className={`peak-bar-active peak-bar-${region}`}
        style={{ width: share(Math.min(run.activeAtPeak, run.peakReserved)) }}
      />
      <i className="peak-bar-floor" style={{ left: share(run.lowerBound) }} />
      {limit === null ? null : <i className="peak-bar-limit" style={{ left: share(limit) }} />}
      <i className="peak-bar-tick" data-cut={isCut || undefined} style={{ left: share(run.peakReserved) }} />
      {preview === null ? null : (
        <i className="peak-bar-draft" style={{ left: share(preview.peakReserved) }} />
      )}
    </div>
  );
}
