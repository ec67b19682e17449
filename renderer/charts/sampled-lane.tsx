import { useMemo } from 'react';
import type { SampledColumns } from '../../app/contract/live.ts';
import { sampledPaths } from './sampled-path.ts';
import { GUTTER } from './viewport.ts';
import './sampled-lane.css';

export interface SampledLimit {
  readonly value: number;
  readonly label: string;
  readonly kind: 'hardware' | 'own';
}

export interface SampledLaneProps {
  readonly title: string;
  /** Of the numbers beside the levels, where they need one. */
  readonly unit?: string;
  /** What the numbers are, a line each. */
  readonly captions: readonly string[];
  /** The newest value, with its unit. */
  readonly value: string;
  readonly columns: SampledColumns | null;
  readonly width: number;
  readonly height: number;
  /** The value at the top of the lane. */
  readonly top: number;
  readonly levels: readonly { readonly value: number; readonly label: string }[];
  /** Values that should not be passed: what the hardware sets, and what the user wants to be warned at. */
  readonly limits?: readonly SampledLimit[];
  readonly isMemory?: boolean;
  /** Pixels of moments that have a name. */
  readonly marks: readonly number[];
}

/** One sampled quantity over time; a gap in the samples is a gap in the picture. */
export function SampledLane(props: SampledLaneProps) {
  const { title, unit, captions, value, columns, width, height, top, levels, limits = [], marks } = props;
  const paths = useMemo(
    () => (columns === null || width <= 0 ? null : sampledPaths(columns, width, height, top)),
    [columns, width, height, top],
  );
  const y = (wanted: number) => height - (wanted / top) * height;
  return (
    <section className="sampled-lane" style={{ height: height + 16 }} aria-label={`${title}: ${value}`}>
      <div className="sampled-gutter" style={{ width: GUTTER }}>
        <b>{title}</b>
        {unit === undefined ? null : <span className="sampled-unit">{unit}</span>}
        {captions.map((caption) => (
          <small key={caption}>{caption}</small>
        ))}
        <span className="sampled-value">{value}</span>
      </div>
      <svg className="sampled-plot" width={width} height={height} style={{ left: GUTTER }} aria-hidden="true">
        {levels.map((level) => (
          <line
            key={level.value}
            className="sampled-grid"
            x1={0}
            x2={width}
            y1={y(level.value)}
            y2={y(level.value)}
          />
        ))}
        {paths === null ? null : (
          <>
            <path
              className={props.isMemory === true ? 'sampled-area memory' : 'sampled-area'}
              d={paths.area}
            />
            <path className="sampled-spread" d={paths.spread} />
            <path
              className={props.isMemory === true ? 'sampled-line memory' : 'sampled-line'}
              d={paths.line}
            />
          </>
        )}
        {limits.map(({ kind, value: most }) => (
          <line
            key={kind}
            className="sampled-limit"
            data-kind={kind}
            x1={0}
            x2={width}
            y1={y(most)}
            y2={y(most)}
          />
        ))}
        {marks.map((x) => (
          <line key={x} className="sampled-mark" x1={x} x2={x} y1={0} y2={height} />
        ))}
      </svg>
      {levels.map((level) => (
        <span
          key={level.value}
          className="sampled-level"
          aria-hidden="true"
          style={{ top: y(level.value) + 8 }}
        >
          {level.label}
        </span>
      ))}
      {limits.map(({ kind, value: most, label }) => (
        <span key={kind} className="sampled-limit-name" data-kind={kind} style={{ top: y(most) + 10 }}>
          {label}
        </span>
      ))}
    </section>
  );
}
