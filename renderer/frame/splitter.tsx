import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { zoomOf } from '../design/pointer.ts';

const KEY_STEP = 16;

export interface SplitterProps {
  readonly label: string;
  readonly width: number;
  readonly least: number;
  readonly most: number;
  readonly usual: number;
  /** Where the pane lies that it widens. */
  readonly pane: 'left' | 'right';
  onChange(width: number): void;
}

/** The line between a pane and the view: dragged, or moved by arrow keys; a double click restores the usual width. */
export function Splitter({ label, width, least, most, usual, pane, onChange }: SplitterProps) {
  const start = useRef<{ x: number; width: number } | null>(null);
  const direction = pane === 'left' ? 1 : -1;
  const set = (wanted: number) => onChange(Math.round(Math.min(most, Math.max(least, wanted))));

  const pointerAt = (event: PointerEvent<HTMLElement>) => event.clientX / zoomOf(event.currentTarget);
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = { x: pointerAt(event), width };
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (start.current !== null) set(start.current.width + direction * (pointerAt(event) - start.current.x));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps = { ArrowLeft: -direction, ArrowRight: direction }[event.key];
    if (steps !== undefined) set(width + steps * KEY_STEP);
    else if (event.key === 'Home') set(least);
    else if (event.key === 'End') set(most);
    else return;
    event.preventDefault();
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: <hr> cannot be focused and moved
    <div
      className={`splitter splitter-${pane}`}
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={least}
      aria-valuemax={most}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        start.current = null;
      }}
      onDoubleClick={() => onChange(usual)}
      onKeyDown={onKeyDown}
    />
  );
}
