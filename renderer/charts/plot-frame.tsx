import type { ReactNode } from 'react';
import { type Level, labelLevels } from './levels.ts';
import { measureText } from './text-width.ts';
import type { Covered, TimeAxis } from './time-axis.ts';
import { GUTTER, RIGHT_MARGIN } from './viewport.ts';

/** The pieces that every time plot is put together from: axis row, lane, cursor line. */

interface AxisRowProps {
  readonly axis: TimeAxis;
  readonly width: number;
  readonly children?: ReactNode;
}

/** The row of tick labels at the top; what rides on it (cursor label, notes) comes as children. */
export function AxisRow({ axis, width, children }: AxisRowProps) {
  return (
    <div className="axis-row" aria-hidden="true">
      <div className="axis-row-plot" style={{ left: GUTTER, width }}>
        {axis.ticks.map((tick) =>
          tick.label === '' ? null : (
            <span key={tick.value} className="axis-label" data-anchor={tick.anchor} style={{ left: tick.x }}>
              {tick.label}
            </span>
          ),
        )}
        {children}
      </div>
    </div>
  );
}

interface CursorLabelProps {
  readonly x: number;
  readonly width: number;
  readonly text: string;
  /** Free pixels right of the plot that the label may use. */
  readonly margin?: number;
}

/** The label of the cursor, kept inside the plot and its margin. */
export function CursorLabel({ x, width, text, margin = FREE_MARGIN }: CursorLabelProps) {
  if (x < -1 || x > width + 1) return null;
  const half = cursorLabelWidth(text) / 2;
  const left = labelMiddle(x, width, half, margin);
  return (
    <>
      <span className="cursor-stem" style={{ left: x }} />
      <span className="cursor-label" style={{ left, width: 2 * half }}>
        {text}
      </span>
    </>
  );
}

/** The pixels the cursor's label covers on the axis, so that tick labels give way. */
export function cursorCover(text: string, x: number | null, width: number, margin = FREE_MARGIN): Covered[] {
  if (x === null || x < -1 || x > width + 1) return [];
  const half = cursorLabelWidth(text) / 2;
  const middle = labelMiddle(x, width, half, margin);
  return [{ from: middle - half - 4, to: middle + half + 4 }];
}

/** Of the right margin, what a label may use. */
const FREE_MARGIN = RIGHT_MARGIN - 4;

function labelMiddle(x: number, width: number, half: number, margin: number): number {
  return Math.min(Math.max(x, half - 12), width + margin - half);
}

function cursorLabelWidth(text: string): number {
  return Math.ceil([...text].reduce((sum, letter) => sum + (letter > '\u2e80' ? 11.5 : 6.6), 16));
}

/** Inside the plot, from its top to its bottom. */
export function CursorLine({ x, width }: { x: number; width: number }) {
  if (x < -1 || x > width + 1) return null;
  return <div className="cursor-line" style={{ left: x }} />;
}

interface LevelsProps {
  readonly levels: readonly Level[];
  readonly height: number;
  /** Where the lane's name ends, in pixels from the left edge of the gutter. */
  readonly nameEnd: number;
}

/** Labels of a value axis, right-aligned in the gutter; the topmost names the unit. */
export function Levels({ levels, height, nameEnd }: LevelsProps) {
  return labelLevels(levels, height, nameEnd, measureText).map((label) => (
    <span key={label.text} className="level-label" aria-hidden="true" style={{ top: label.y }}>
      {label.text}
    </span>
  ));
}
