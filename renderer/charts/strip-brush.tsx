import { type KeyboardEvent, type PointerEvent, useMemo, useRef } from 'react';
import { pointerIn } from '../design/pointer.ts';
import { useActiveTrace, useUpdateTrace } from '../state/active-trace.ts';
import { type Range, visibleRange, withinTrace } from '../state/store.ts';
import { useVisibleRange } from './live.ts';
import { stretchWords } from './moment-words.ts';
import { dragGrip, type Grip, gripAt, nudge } from './strip-window.ts';
import type { AxisUnit } from './time-axis.ts';
import { useCursor } from './use-cursor.ts';
import { useWords } from './use-words.ts';
import { isWhole, smallestSpan, toPixel } from './viewport.ts';

interface Props {
  readonly full: Range;
  readonly width: number;
  readonly height: number;
  readonly unit: AxisUnit;
}

/** The visible window on the strip: drag it, drag its handles, draw a new one; double-click shows everything. */
export function StripBrush({ full, width, height, unit }: Props) {
  const { info, axis } = useActiveTrace();
  const update = useUpdateTrace();
  const { position } = useCursor();
  const smallest = smallestSpan(axis, full);
  const drag = useRef<{ grip: Grip; start: number; range: Range } | null>(null);
  const placeOf = (event: PointerEvent<HTMLElement>) => pointerIn(event.currentTarget, event).x;
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    const start = placeOf(event);
    const range = visibleRange(info.trace);
    drag.current = { grip: gripAt(range, full, width, start), start, range };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const x = placeOf(event);
    const held = drag.current;
    event.currentTarget.dataset['grip'] = held?.grip ?? gripAt(visibleRange(info.trace), full, width, x);
    if (held === null || Math.abs(x - held.start) < 2) return;
    update({ range: dragGrip(held.grip, held.range, full, width, held.start, x, smallest) });
  };
  const onPointerUp = () => {
    drag.current = null;
  };
  const cursorX = position === null ? null : toPixel(full, width, position);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the two handles inside do the same by keys
    <div
      className="strip-brush"
      style={{ width, height }}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
      onDoubleClick={() => update({ range: full })}
    >
      {cursorX === null ? null : <div className="strip-cursor" style={{ left: cursorX }} />}
      <Window full={full} width={width} />
      <Handle edge="from" full={full} width={width} smallest={smallest} unit={unit} />
      <Handle edge="to" full={full} width={width} smallest={smallest} unit={unit} />
    </div>
  );
}

function Window({ full, width }: { readonly full: Range; readonly width: number }) {
  const range = useVisibleRange();
  const left = toPixel(full, width, range.from);
  const right = toPixel(full, width, range.to);
  return (
    <>
      {isWhole(range, full) ? null : (
        <>
          <div className="strip-shade" style={{ left: 0, width: Math.max(0, left) }} />
          <div className="strip-shade" style={{ left: right, width: Math.max(0, width - right) }} />
        </>
      )}
      <div className="strip-window" style={{ left, width: Math.max(2, right - left) }} />
    </>
  );
}

interface HandleProps {
  readonly edge: 'from' | 'to';
  readonly full: Range;
  readonly width: number;
  readonly smallest: number;
  readonly unit: AxisUnit;
}

const STEP = 0.01;

/**
 * An end of the window, as a slider: arrows move it by a hundredth of the whole, with Shift by a tenth. It moves with
 * the window; what it says waits until that rests.
 */
function Handle({ edge, full, width, smallest, unit }: HandleProps) {
  const { info, axis, range: rested } = useActiveTrace();
  const x = toPixel(full, width, useVisibleRange()[edge]);
  const update = useUpdateTrace();
  const words = useWords();
  const onKeyDown = (event: KeyboardEvent) => {
    const shares: Record<string, number> = { ArrowLeft: -STEP, ArrowRight: STEP, Home: -1, End: 1 };
    const share = shares[event.key];
    if (share === undefined) return;
    event.preventDefault();
    const by = event.shiftKey && Math.abs(share) < 1 ? share * 10 : share;
    update({ range: nudge(visibleRange(info.trace), full, edge, by, smallest) });
  };
  const text = useMemo(
    () => stretchWords(words, { axis, unit }, withinTrace(rested, info, axis)),
    [words, info, axis, unit, rested],
  );
  return (
    <div
      className="strip-handle"
      role="slider"
      tabIndex={0}
      aria-label={words.t(`strip.${edge}`)}
      aria-valuemin={full.from}
      aria-valuemax={full.to}
      aria-valuenow={rested[edge]}
      aria-valuetext={text}
      style={{ left: x }}
      onKeyDown={onKeyDown}
    />
  );
}
