import type { ByteAxis } from './lane-scale.ts';
import { type ValueScale, valueY } from './series-path.ts';
import { GUTTER } from './viewport.ts';

/** A line of the value axis, and its label in two parts: an axis names its unit once. */
export interface Level {
  readonly y: number;
  readonly number: string;
  readonly unit: string;
}

export function levelsOf(axis: ByteAxis, y: ValueScale): Level[] {
  return axis.ticks.map((tick) => ({ y: valueY(y, tick.value), number: tick.number, unit: tick.unit }));
}

export function isSameLevels(one: readonly Level[], other: readonly Level[]): boolean {
  return (
    one.length === other.length &&
    one.every((level, at) => {
      const same = other[at];
      return level.y === same?.y && level.number === same.number && level.unit === same.unit;
    })
  );
}

export const NO_LEVELS: readonly Level[] = [];

/** The lane's name stands in the first line of the gutter. */
const NAME_BOTTOM = 24;
const HALF_LINE = 7;
const LABEL_RIGHT = GUTTER - 8;

/** Labels that do not run into the lane's name, from the top; the first of them carries the unit. */
export function labelLevels(
  levels: readonly Level[],
  height: number,
  nameEnd: number,
  measure: (text: string) => number,
): { y: number; text: string }[] {
  const labels: { y: number; text: string }[] = [];
  for (const level of [...levels].sort((one, other) => one.y - other.y)) {
    const y = Math.min(Math.max(level.y, 9), height - HALF_LINE);
    const text = labels.length === 0 ? `${level.number} ${level.unit}` : level.number;
    const isInName = y - HALF_LINE < NAME_BOTTOM - 4 && LABEL_RIGHT - measure(text) < nameEnd + 4;
    if (!isInName) labels.push({ y, text });
  }
  return labels;
}
