import { GUTTER, toPixel } from '../../charts/viewport.ts';
import type { Lane } from './lane-layout.ts';
import { type PlotView, usePlotWindow } from './plot-view.ts';

interface Props {
  readonly lane: Lane;
  readonly view: PlotView;
  /** From the first to the last event of the device, ns. */
  readonly span: { readonly first: number; readonly last: number };
}

/** Narrower veils go without their words. */
const WIDEST_WORDS = 96;

/** Of a set, a lane knows nothing before its own file's first event and after its last: no state is drawn there. */
export function LaneVeil({ lane, view, span }: Props) {
  const { range } = usePlotWindow(view);
  const { width, words } = view;
  const within = (value: number) => Math.min(width, Math.max(0, toPixel(range, width, value)));
  const before = { from: 0, to: within(span.first) };
  const after = { from: within(span.last), to: width };
  return [before, after].map(({ from, to }, at) =>
    to - from < 1 ? null : (
      <div
        key={at === 0 ? 'before' : 'after'}
        className="lane-veil"
        style={{ left: GUTTER + from, width: to - from, top: lane.top, height: lane.height - 1 }}
      >
        {to - from < WIDEST_WORDS ? null : <span>{words.t('set.notRecorded')}</span>}
      </div>
    ),
  );
}
