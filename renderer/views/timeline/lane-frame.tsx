import type { ReactNode } from 'react';
import { isSameLevels, type Level, NO_LEVELS } from '../../charts/levels.ts';
import { useLive } from '../../charts/live.ts';
import { Levels } from '../../charts/plot-frame.tsx';
import { measureText } from '../../charts/text-width.ts';
import { GUTTER } from '../../charts/viewport.ts';
import { Icon } from '../../design/icons.tsx';
import type { Lane } from './lane-layout.ts';
import { useTimelineOptions } from './timeline-options.ts';

interface Props {
  readonly lane: Lane;
  readonly name: string;
  readonly swatch?: string;
  readonly caption?: string;
  readonly legend?: ReactNode;
  /** Of the value axis, as they are in this frame. */
  readonly levels?: () => readonly Level[];
  /** Quiet lanes are named in plain text. */
  readonly isQuiet?: boolean;
  readonly canFold?: boolean;
  readonly children?: ReactNode;
}

/** A lane: its name and legend in the gutter, its picture right of it. The name folds it to a line. */
export function LaneFrame({
  lane,
  name,
  swatch,
  caption,
  legend,
  levels = noLevels,
  isQuiet = false,
  canFold = true,
  children,
}: Props) {
  const toggle = useTimelineOptions((options) => options.toggleFold);
  // names are set a little larger than the labels that are measured
  const nameEnd = 20 + (swatch === undefined ? 0 : 17) + measureText(name) * 1.1;
  const title = (
    <>
      {swatch === undefined ? null : <span className={`swatch ${swatch}`} />}
      <span className="ellipsis">{name}</span>
    </>
  );
  return (
    <section
      className="lane"
      aria-label={name}
      data-quiet={isQuiet || undefined}
      style={{ top: lane.top, height: lane.height }}
    >
      <div className="lane-gutter" style={{ width: GUTTER }}>
        {canFold ? (
          <button
            type="button"
            className="lane-name"
            aria-expanded={!lane.isFolded}
            onClick={() => toggle(lane.id)}
          >
            {title}
            <Icon name={lane.isFolded ? 'right' : 'down'} isSmall />
          </button>
        ) : (
          <span className="lane-name">{title}</span>
        )}
        {lane.isFolded || caption === undefined ? null : <small>{caption}</small>}
        {lane.isFolded ? null : legend}
        {lane.isFolded ? null : <LiveLevels levels={levels} height={lane.height} nameEnd={nameEnd} />}
      </div>
      {lane.isFolded ? null : (
        <div className="lane-plot" style={{ left: GUTTER }}>
          {children}
        </div>
      )}
    </section>
  );
}

const noLevels = () => NO_LEVELS;

interface LiveLevelsProps {
  readonly levels: () => readonly Level[];
  readonly height: number;
  readonly nameEnd: number;
}

function LiveLevels({ levels, ...place }: LiveLevelsProps) {
  return <Levels levels={useLive(levels, isSameLevels)} {...place} />;
}

export type LegendKey =
  | 'reserved'
  | 'active'
  | 'requested'
  | 'free'
  | 'pending'
  | 'atLeast'
  | 'atMost'
  | 'sure'
  | 'unknown'
  | 'total'
  | 'largest';

/** A line of the legend: its key as CSS draws it, and its word. */
export function LegendList({
  items,
  region,
  word,
}: {
  readonly items: readonly LegendKey[];
  readonly region: string;
  readonly word: (key: LegendKey) => string;
}) {
  return (
    <ul className="lane-legend" aria-hidden="true">
      {items.map((item) => (
        <li key={item}>
          <span className="legend-key" data-key={item} data-region={region} />
          {word(item)}
        </li>
      ))}
    </ul>
  );
}
