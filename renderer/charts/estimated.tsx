import type { ReportDevice } from '../../app/contract/report.ts';
import { useQuery } from '../engine/use-query.ts';
import { useActiveDevice, useActiveTrace } from '../state/active-trace.ts';
import type { Range } from '../state/store.ts';
import { measureText } from './text-width.ts';
import type { Covered } from './time-axis.ts';
import { useWords } from './use-words.ts';
import { toPixel } from './viewport.ts';

/** Where the first placement that disagrees lies on the axis; what comes after it is estimated. */
export function useEstimatedFrom(report: ReportDevice | null): number | null {
  const { info, device, axis } = useActiveTrace();
  const { events } = useActiveDevice();
  const first = report?.exact.first_mismatch ?? null;
  const isKnown = first !== null && first >= 0 && first < events;
  const args = isKnown && axis === 'time' ? { trace: info.trace, device, event: first } : null;
  const event = useQuery('event', args);
  if (!isKnown) return null;
  return axis === 'event' ? first : (event.data?.time ?? null);
}

interface Props {
  readonly range: Range;
  readonly width: number;
  readonly from: number;
  /** What the cursor's label covers: the words give way to it. */
  readonly covered: readonly Covered[];
}

/** Room the sentence needs beside the hatch. */
const ROOM = 180;

/** The pixels its words cover on the axis, so that tick labels give way. */
export function estimatedCover(text: string, range: Range, width: number, from: number | null): Covered[] {
  if (from === null) return [];
  const left = Math.max(0, toPixel(range, width, from));
  return width - left > ROOM ? [{ from: left, to: left + measureText(text) + 20 }] : [];
}

/** On the axis: from the first placement that disagrees with the recording, what is drawn is estimated. */
export function EstimatedMark({ range, width, from, covered }: Props) {
  const words = useWords();
  const left = Math.max(0, toPixel(range, width, from));
  if (left >= width) return null;
  const text = words.t('timeline.estimated');
  const [own] = estimatedCover(text, range, width, from);
  const isClear = own !== undefined && covered.every((other) => other.to < own.from || other.from > own.to);
  return (
    <span className="estimated" style={{ left, width: width - left }}>
      {isClear ? <span>{text}</span> : null}
    </span>
  );
}
