import { useMemo } from 'react';
import type { AnnotationInfo } from '../../../app/contract/engine.ts';
import { formatDuration } from '../../../app/domain/format.ts';
import { annotationName } from '../../charts/annotation-name.ts';
import { annotationLines } from '../../charts/hover-lines.ts';
import { lastOf, useLive } from '../../charts/live.ts';
import { stretchWords } from '../../charts/moment-words.ts';
import { measureText } from '../../charts/text-width.ts';
import {
  type AnnotationMark,
  annotationRange,
  prepareAnnotations,
  shortName,
} from '../../charts/time-marks.ts';
import type { Words } from '../../charts/use-words.ts';
import { isGap } from './gap-spans.tsx';
import { LaneFrame } from './lane-frame.tsx';
import { annotationRowHeight } from './lane-layout.ts';
import type { LaneProps, PlotView, PlotWindow } from './plot-view.ts';
import { useTouch } from './use-touch.ts';

interface Props extends LaneProps {
  readonly annotations: readonly AnnotationInfo[];
  readonly rows: number;
}

const TOP = 4;

/** The stretches that the program named, nested by depth. */
export function AnnotationsLane({ lane, view, touches, annotations, rows }: Props) {
  const { words, width, axis } = view;
  const rowHeight = annotationRowHeight(rows);
  const prepare = useMemo(
    () => lastOf(({ range }: PlotWindow) => prepareAnnotations(annotations, axis, range, width)),
    [annotations, axis, width],
  );
  const marks = () => prepare(view.now());
  const markAt = (x: number, y: number): AnnotationMark | null => {
    const depth = Math.floor((y - TOP) / rowHeight);
    return (
      marks().find((mark) => mark.depth === depth && x >= mark.x - 2 && x <= mark.x + mark.width + 2) ?? null
    );
  };
  useTouch(touches, lane, {
    describe: (x, y) => {
      const mark = markAt(x, y);
      if (mark === null) return null;
      const from = annotationRange(mark.first, axis).from;
      const where = stretchWords(words, view.now().place, { from, to: annotationRange(mark.last, axis).to });
      const length =
        axis === 'time'
          ? formatDuration(mark.first.end - mark.first.begin, words.locale)
          : words.t('tip.events', {
              count: mark.first.endEvent - mark.first.beginEvent + 1,
              events: words.count(mark.first.endEvent - mark.first.beginEvent + 1),
            });
      return annotationLines(words, mark, length, where);
    },
    stretchAt: (x, y) => {
      const mark = markAt(x, y);
      if (mark === null) return null;
      return { from: annotationRange(mark.first, axis).from, to: annotationRange(mark.last, axis).to };
    },
  });
  return (
    <LaneFrame lane={lane} name={words.t('lane.steps')} isQuiet>
      <Bars marks={marks} rowHeight={rowHeight} view={view} />
    </LaneFrame>
  );
}

interface BarsProps {
  readonly marks: () => readonly AnnotationMark[];
  readonly rowHeight: number;
  readonly view: PlotView;
}

function Bars({ marks, rowHeight, view: { words, width } }: BarsProps) {
  const visible = useLive(marks);
  return (
    <>
      {visible.length === 0 ? <p className="lane-note">{words.t('lane.noneHere')}</p> : null}
      {visible.map((mark) => (
        <span
          key={`${mark.depth}-${mark.first.begin}-${mark.first.name}`}
          className="annotation"
          data-many={mark.count > 1 || undefined}
          data-gap={isGap(mark.first) || undefined}
          aria-hidden="true"
          style={{
            left: mark.x,
            width: mark.width,
            top: TOP + mark.depth * rowHeight,
            height: rowHeight - 2,
          }}
        >
          {rowHeight >= 16 ? (
            <AnnotationName words={words} mark={mark} width={width} marks={visible} />
          ) : null}
        </span>
      ))}
    </>
  );
}

/** Inside where it fits, else behind its bar when nothing follows there. */
function AnnotationName({
  words,
  mark,
  width,
  marks,
}: {
  words: Words;
  mark: AnnotationMark;
  width: number;
  marks: readonly AnnotationMark[];
}) {
  const text = mark.count > 1 ? `${mark.count} ×` : annotationName(words, shortName(mark.first));
  const needed = measureText(text) + 12;
  if (needed <= mark.width) return <span className="annotation-name">{text}</span>;
  const end = mark.x + mark.width;
  const isFree =
    end + needed < width &&
    marks.every((other) => other.depth !== mark.depth || other.x < end - 0.5 || other.x > end + needed);
  if (isFree) {
    return (
      <span className="annotation-name" data-outside="true" style={{ left: mark.width }}>
        {text}
      </span>
    );
  }
  return mark.width > 40 ? <span className="annotation-name ellipsis">{text}</span> : null;
}
