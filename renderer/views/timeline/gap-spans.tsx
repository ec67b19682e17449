import { useMemo } from 'react';
import type { AnnotationInfo } from '../../../app/contract/engine.ts';
import { isGapName } from '../../charts/annotation-name.ts';
import { lastOf, useLive } from '../../charts/live.ts';
import { prepareAnnotations } from '../../charts/time-marks.ts';
import { GUTTER } from '../../charts/viewport.ts';
import type { PlotView, PlotWindow } from './plot-view.ts';

export function isGap({ name }: AnnotationInfo): boolean {
  return isGapName(name);
}

interface GapSpansProps {
  readonly annotations: readonly AnnotationInfo[];
  readonly view: PlotView;
}

/** Where events are missing: hatched over all lanes, because nothing between the two ends is known. */
export function GapSpans({ annotations, view }: GapSpansProps) {
  const { axis, width } = view;
  const gaps = useMemo(() => annotations.filter(isGap), [annotations]);
  const prepare = useMemo(
    () => lastOf(({ range }: PlotWindow) => prepareAnnotations(gaps, axis, range, width)),
    [gaps, axis, width],
  );
  const visible = useLive(() => prepare(view.now()));
  return visible.map((mark) => (
    <div
      key={`${mark.depth}-${mark.first.begin}`}
      className="gap-span"
      aria-hidden="true"
      style={{ left: GUTTER + mark.x, width: mark.width }}
    />
  ));
}
