import { useLayoutEffect, useRef, useState } from 'react';
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
  readonly width: number;
  readonly height: number;
}

/** Distance from the pointer, so that it never covers the mark. */
const OFFSET = 14;

/** Beside the pointer, at its right if there is room. It repeats what the chart announces, so it is for eyes only. */
export function Tooltip({ lines, x, y, width, height }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 180, height: 40 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the size follows from the lines
  useLayoutEffect(() => {
    const box = element.current;
    if (box !== null) setSize({ width: box.offsetWidth, height: box.offsetHeight });
  }, [lines]);
  const left = x + OFFSET + size.width <= width ? x + OFFSET : Math.max(0, x - OFFSET - size.width);
  const top = Math.max(4, Math.min(y + OFFSET, height - size.height - 4));
  return (
    <div ref={element} className="chart-tooltip float" aria-hidden="true" style={{ left, top }}>
      {lines.map((line) => (
        <div key={line.text} data-tone={line.tone}>
          {line.swatch === undefined ? null : <span className="swatch" style={{ background: line.swatch }} />}
          <Emphasis text={line.text} />
        </div>
      ))}
    </div>
  );
}
