import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunRequest, RunSummary } from '../../../app/contract/simulation.ts';
import type { Recording } from '../../../app/domain/runs.ts';
import { Canvas, type Draw, useSize } from '../../charts/canvas.tsx';
import { drawLevels, fillBetween, fillUnder, strokeSteps } from '../../charts/draw.ts';
import { pattern } from '../../charts/patterns.ts';
import { timeAxis } from '../../charts/time-axis.ts';
import { useWords } from '../../charts/use-words.ts';
import { type Palette, usePalette } from '../../design/colours.ts';
import { Icon } from '../../design/icons.tsx';
import { useFormat } from '../../i18n/use-format.ts';
import { useMomentName } from '../../i18n/use-words.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import { fullRange } from '../../state/store.ts';
import { type PanelMarks, preparePanel } from './panel-marks.ts';
import type { SharedScale } from './rows.ts';
import { regionOfRun, useRunWords } from './run-words.ts';

interface Props {
  readonly request: RunRequest;
  readonly summary: RunSummary;
  readonly preview: RunSummary | null;
  readonly recording: Recording;
  readonly scale: SharedScale;
  readonly isSelected: boolean;
  readonly isModel: boolean;
  onSelect(): void;
  onOpen(): void;
}

/** One run over the length of the recording, on the scale that all of them share. */
export function RunPanel(props: Props) {
  const { request, summary, recording, isSelected, isModel, onSelect, onOpen } = props;
  const { t } = useTranslation();
  const words = useRunWords();
  const format = useFormat();
  const difference = summary.peakReserved - recording.peakReserved;
  const label = t('whatIf.panel.label', {
    name: words.name(request),
    settings: words.settings(request),
    peak: format.bytes(summary.peakReserved),
    against: difference === 0 ? t('whatIf.table.same') : format.difference(difference),
  });
  return (
    <button
      type="button"
      className="run-panel"
      tabIndex={-1}
      aria-pressed={isSelected}
      aria-label={label}
      onClick={onSelect}
      onDoubleClick={onOpen}
    >
      <span className="run-panel-head">
        <b>{words.name(request)}</b>
        <span className="ellipsis" title={words.settings(request)}>
          {summary.reproduces === null ? words.settings(request) : t('whatIf.recordedSettings')}
        </span>
        {isModel ? <span className="run-model">{t('whatIf.model')}</span> : null}
      </span>
      <RunPicture {...props} />
    </button>
  );
}

type PictureProps = Pick<Props, 'request' | 'summary' | 'preview' | 'recording' | 'scale'>;

/** Reserved and active over the length of the recording, which is dashed, on a scale that is shared. */
export function RunPicture({ request, summary, preview, recording, scale }: PictureProps) {
  const [place, size] = useSize<HTMLSpanElement>();
  const [axisPlace, axisSize] = useSize<HTMLSpanElement>();
  const { t } = useTranslation();
  const format = useFormat();
  const { info } = useActiveTrace();
  const momentName = useMomentName(info);
  const region = regionOfRun(request);
  const palette = usePalette();
  const failedAt = useFailureShare(summary);
  const marks = useMemo(() => {
    if (size.width === 0 || size.height === 0) return null;
    const data = {
      timeline: summary.timeline,
      recorded: summary.reproduces === null ? recording.timeline : null,
      draft: preview?.timeline ?? null,
      capacity: summary.capacity,
      failedAt,
    };
    return preparePanel(data, scale.top, size.width, size.height);
  }, [summary, preview, recording, scale.top, size.width, size.height, failedAt]);
  const draw = useMemo<Draw>(
    () => (surface, ratio) => {
      if (marks !== null) drawPanel(surface, ratio, marks, size, palette, palette.colours[`${region}-area`]);
    },
    [marks, size, palette, region],
  );
  return (
    <span className="run-picture">
      <span className="run-levels" aria-hidden="true">
        {marks?.levels.map((level, at) => (
          <span key={level.y} style={{ top: level.y }}>
            {at === (marks?.levels.length ?? 0) - 1 ? `${level.number} ${level.unit}` : level.number}
          </span>
        ))}
      </span>
      <span className="run-plot" ref={place}>
        <Canvas width={size.width} height={size.height} draw={draw} />
        {marks === null ? null : (
          <span className="run-peak" style={labelPlace(marks, size.width)} data-beyond={marks.peak.isBeyond}>
            {marks.peak.isBeyond
              ? t('whatIf.panel.beyond', { peak: format.bytes(summary.peakReserved) })
              : format.bytes(summary.peakReserved)}
          </span>
        )}
        {marks === null || marks.failureX === null || summary.firstFailure === null ? null : (
          <span
            className="run-failure"
            style={{ left: marks.failureX }}
            title={t('whatIf.panel.failed', { moment: momentName(summary.firstFailure) })}
          >
            <Icon name="failure" isSmall />
          </span>
        )}
      </span>
      <span className="run-axis" ref={axisPlace} aria-hidden="true">
        <AxisLabels width={axisSize.width} />
      </span>
    </span>
  );
}

function AxisLabels({ width }: { readonly width: number }) {
  const words = useWords();
  const { info, device } = useActiveTrace();
  const axis = info.hasClock ? 'time' : 'event';
  const ticks = useMemo(() => {
    if (width === 0) return [];
    const full = fullRange(info, device, axis);
    return timeAxis(axis, full, width, { locale: words.locale, event: words.t('axis.event') }).ticks;
  }, [info, device, axis, width, words]);
  return (
    <>
      {ticks.map((tick) => (
        <span key={tick.value} className="axis-label" data-anchor={tick.anchor} style={{ left: tick.x }}>
          {tick.label}
        </span>
      ))}
    </>
  );
}

/** Where in the length of the trace the first request failed. */
function useFailureShare({ firstFailure }: RunSummary): number | null {
  const { info, device } = useActiveTrace();
  if (firstFailure === null) return null;
  const full = fullRange(info, device, info.hasClock ? 'time' : 'event');
  return Math.min(1, (info.hasClock ? (firstFailure.time ?? 0) : firstFailure.event) / full.to);
}

/** Half of the widest label, which stays within the picture. */
const HALF_LABEL = 34;

function labelPlace({ peak }: PanelMarks, width: number) {
  const half = peak.isBeyond ? 2.2 * HALF_LABEL : HALF_LABEL;
  return { left: Math.max(half, Math.min(width - half, peak.x)), top: Math.max(0, peak.y - 17) };
}

function drawPanel(
  surface: CanvasRenderingContext2D,
  ratio: number,
  marks: PanelMarks,
  { width, height }: { readonly width: number; readonly height: number },
  { colours }: Palette,
  area: string,
): void {
  const free = pattern('free', { paper: null, ink: colours['line-strong'] }, ratio);
  fillBetween(surface, { upper: marks.reserved, lower: marks.active }, free);
  fillUnder(surface, marks.active, height, area);
  drawLevels(
    surface,
    marks.levels.map((level) => level.y),
    width,
    colours.ink,
  );
  surface.fillStyle = colours['line-strong'];
  surface.fillRect(0, height - 1, width, 1);
  if (marks.recorded !== null) strokeSteps(surface, marks.recorded, colours['ink-3'], 1, [3, 2]);
  strokeSteps(surface, marks.reserved, colours.ink, 1.5);
  if (marks.draft !== null) strokeSteps(surface, marks.draft, colours.focus, 1.5, [5, 3]);
  if (marks.limit !== null) {
    surface.fillStyle = colours.critical;
    surface.fillRect(0, Math.round(marks.limit), width, 1);
  }
  if (marks.peak.isBeyond) {
    surface.fillStyle = colours.ink;
    for (let x = 0; x < width; x += 4) surface.fillRect(x, 0, 2, 1);
  }
}
