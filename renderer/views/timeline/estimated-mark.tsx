import { toPixel } from '../../charts/viewport.ts';
import type { PlotView } from './plot-view.ts';

/** On the axis: from the first placement that disagrees with the recording, what is drawn is estimated. */
export function EstimatedMark({ view, from }: { readonly view: PlotView; readonly from: number }) {
  const left = Math.max(0, toPixel(view.range, view.width, from));
  if (left >= view.width) return null;
  return (
    <span className="estimated" style={{ left, width: view.width - left }}>
      {view.width - left > 120 ? <span>{view.words.t('timeline.estimated')}</span> : null}
    </span>
  );
}
