import { useMemo } from 'react';
import type { Marker } from '../../../app/contract/engine.ts';
import { markerLines } from '../../charts/hover-lines.ts';
import { lastOf, useLive } from '../../charts/live.ts';
import { exactPlaceWords, stretchWords } from '../../charts/moment-words.ts';
import { type MarkerMark, markerPosition, prepareMarkers } from '../../charts/time-marks.ts';
import type { Words } from '../../charts/use-words.ts';
import { LaneFrame } from './lane-frame.tsx';
import type { LaneProps, PlotView, PlotWindow } from './plot-view.ts';
import { useTouch } from './use-touch.ts';

interface Props extends LaneProps {
  readonly markers: readonly Marker[];
}

/** Pixels around a glyph in which the pointer means it. */
const REACH = 12;

/** Failed requests, the peak, snapshots and cache flushes, each with its own shape. */
export function MarkersLane({ lane, view, touches, markers }: Props) {
  const { words, width, axis } = view;
  const prepare = useMemo(
    () => lastOf(({ range }: PlotWindow) => prepareMarkers(markers, axis, range, width)),
    [markers, axis, width],
  );
  const marks = () => prepare(view.now());
  const nearest = (x: number): MarkerMark | null => {
    const within = marks().filter((mark) => Math.abs(mark.x - x) <= REACH);
    return within.sort((one, other) => Math.abs(one.x - x) - Math.abs(other.x - x))[0] ?? null;
  };
  useTouch(touches, lane, {
    describe: (x) => {
      const mark = nearest(x);
      return mark === null ? null : markerLines(words, mark, whereOf(view, mark));
    },
    momentAt: (x) => nearest(x)?.markers[0]?.event ?? null,
    stretchAt: (x) => {
      const mark = nearest(x);
      const [first, last] = [mark?.markers[0], mark?.markers.at(-1)];
      if (first === undefined || last === undefined) return null;
      return { from: markerPosition(first, axis), to: markerPosition(last, axis) + 1 };
    },
  });
  return (
    <LaneFrame lane={lane} name={words.t('lane.markers')} isQuiet canFold={false}>
      <Marks marks={marks} height={lane.height} view={view} />
    </LaneFrame>
  );
}

interface MarksProps {
  readonly marks: () => readonly MarkerMark[];
  readonly height: number;
  readonly view: PlotView;
}

function Marks({ marks, height, view: { words, width } }: MarksProps) {
  const visible = useLive(marks);
  return (
    <>
      <svg
        className="marker-glyphs"
        width={width}
        height={height}
        role="img"
        aria-label={words.t('lane.markers')}
      >
        {visible.map((mark) => (
          <g key={`${mark.kind}-${mark.markers[0]?.event}`} transform={`translate(${mark.x} ${height / 2})`}>
            <Glyph kind={mark.kind} />
          </g>
        ))}
      </svg>
      {visible.length === 0 ? <p className="lane-note">{words.t('lane.noneHere')}</p> : null}
      {nameSome(visible, words.t, width).map((name) => (
        <span
          key={name.key}
          className="marker-name"
          data-kind={name.kind}
          data-side={name.side}
          style={{ left: name.x }}
        >
          {name.text}
        </span>
      ))}
    </>
  );
}

function whereOf(view: PlotView, mark: MarkerMark): string {
  const [first, last] = [mark.markers[0], mark.markers.at(-1)];
  if (first === undefined || last === undefined) return '';
  const { place } = view.now();
  if (first === last) return exactPlaceWords(view.words, place, first.event, first.time);
  const from = markerPosition(first, view.axis);
  return stretchWords(view.words, place, { from, to: markerPosition(last, view.axis) + 1 });
}

export function Glyph({ kind }: { readonly kind: Marker['kind'] }) {
  switch (kind) {
    case 'failure':
      return <path className="glyph" data-kind={kind} d="M-2.500-6h5L6-2.500v5L2.500 6h-5L-6 2.500v-5z" />;
    case 'peak':
      return <path className="glyph" data-kind={kind} d="M0-6.500 5.500 0 0 6.500-5.500 0z" />;
    case 'snapshot':
      return <rect className="glyph" data-kind={kind} x="-4.500" y="-4.500" width="9" height="9" />;
    case 'flush':
      return <path className="glyph" data-kind={kind} d="M0 5-5.500-4.500h11z" />;
  }
}

interface MarkerName {
  readonly key: string;
  readonly kind: Marker['kind'];
  readonly text: string;
  readonly x: number;
  readonly side: 'left' | 'right';
}

/** Room a name needs; one that has none stays in the tooltip. */
const NAME_ROOM = 84;

function nameSome(marks: readonly MarkerMark[], t: Words['t'], width: number): MarkerName[] {
  const isFree = (from: number, to: number, self: MarkerMark) =>
    marks.every((mark) => mark === self || mark.x + 8 < from || mark.x - 8 > to);
  const names: MarkerName[] = [];
  const clear = (from: number, to: number) =>
    names.every((name) =>
      name.side === 'left'
        ? name.x < from || name.x - NAME_ROOM > to
        : name.x > to || name.x + NAME_ROOM < from,
    );
  for (const mark of marks.toReversed()) {
    const text = t(`marker.${mark.kind}`, { count: mark.markers.length });
    const key = `${mark.kind}-${mark.markers[0]?.event}`;
    const right = mark.x + 10;
    const left = mark.x - 10;
    if (
      right + NAME_ROOM <= width &&
      isFree(right, right + NAME_ROOM, mark) &&
      clear(right, right + NAME_ROOM)
    ) {
      names.push({ key, kind: mark.kind, text, x: right, side: 'right' });
    } else if (
      left - NAME_ROOM >= 0 &&
      isFree(left - NAME_ROOM, left, mark) &&
      clear(left - NAME_ROOM, left)
    ) {
      names.push({ key, kind: mark.kind, text, x: left, side: 'left' });
    }
  }
  return names;
}
