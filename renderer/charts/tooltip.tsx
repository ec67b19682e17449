import { useLayoutEffect, useRef } from 'react';
import { Emphasis } from './emphasis.tsx';

export interface TooltipLine {
  /** A sentence; `**` marks its number. */
  readonly text: string;
  /** A definition may take several lines. */
  readonly tone?: 'hole' | 'caution' | 'quiet' | 'definition';
  /** CSS colour of a swatch in front. */
  readonly swatch?: string;
}

export function isSameLines(
  one: readonly TooltipLine[] | null,
  other: readonly TooltipLine[] | null,
): boolean {
  if (one === null || other === null) return one === other;
  return (
    one.length === other.length &&
    one.every(({ text, tone, swatch }, at) => {
      const same = other[at];
      return text === same?.text && tone === same.tone && swatch === same.swatch;
    })
  );
}

interface Props {
  readonly lines: readonly TooltipLine[];
  /** The pointer, in pixels of the element the tooltip is placed in. */
  readonly x: number;
  readonly y: number;
  /** Where the tooltip has to end at the right, in the same pixels. */
  readonly width: number;
}

/** Distance from the pointer, so that it never covers the mark. */
const OFFSET = 14;
/** Distance from the edges of the window. */
const AIR = 4;

/**
 * Beside the pointer, at its right if there is room, and above everything, so that no short plot cuts it off. It
 * repeats what the chart announces, so it is for eyes only.
 */
export function Tooltip({ lines, x, y, width }: Props) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => element.current?.showPopover(), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the size follows from the lines
  useLayoutEffect(() => {
    if (element.current !== null) place(element.current, x, y, width);
  }, [lines, x, y, width]);
  return (
    <div ref={element} className="chart-tooltip float" popover="manual" aria-hidden="true">
      {lines.map((line) => (
        <div key={line.text} data-tone={line.tone}>
          {line.swatch === undefined ? null : <span className="swatch" style={{ background: line.swatch }} />}
          <Emphasis text={line.text} />
        </div>
      ))}
    </div>
  );
}

function place(box: HTMLElement, x: number, y: number, width: number): void {
  const plot = box.parentElement?.getBoundingClientRect();
  if (plot === undefined) return;
  const isRoomAtRight = x + OFFSET + box.offsetWidth <= width;
  const left = plot.left + (isRoomAtRight ? x + OFFSET : x - OFFSET - box.offsetWidth);
  const top = Math.min(plot.top + y + OFFSET, window.innerHeight - box.offsetHeight - AIR);
  box.style.left = `${Math.max(AIR, left)}px`;
  box.style.top = `${Math.max(AIR, top)}px`;
}
