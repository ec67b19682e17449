import { useMemo } from 'react';
import type { DriverResult, SampledColumns } from '../../../app/contract/live.ts';
import { MovingCanvas } from '../../charts/canvas.tsx';
import { columnAt, columnRange, columnScale } from '../../charts/columns.ts';
import { differenceLines, driverLines } from '../../charts/hover-lines.ts';
import { NO_LEVELS } from '../../charts/levels.ts';
import { lastOf } from '../../charts/live.ts';
import { stretchWords } from '../../charts/moment-words.ts';
import { drawSigned } from '../../charts/pictures.ts';
import { drawSteps } from '../../charts/pixel-surface.ts';
import { stepCount } from '../../charts/series-path.ts';
import { prepareSigned } from '../../charts/signed-path.ts';
import type { Words } from '../../charts/use-words.ts';
import { LaneFrame } from './lane-frame.tsx';
import type { LaneProps, PlotView, PlotWindow } from './plot-view.ts';
import type { Driver } from './use-driver.ts';
import { useTouch } from './use-touch.ts';

interface Props extends LaneProps {
  readonly driver: Driver;
}

const AIR = 10;

/** What the driver counts as used, on the whole GPU or by one process, and which of them is meant. */
export function DriverLane({ lane, view, touches, driver }: Props) {
  const { words } = view;
  const prepared = usePrepared(lane.height, view, driver, driverOf);
  useTouch(touches, lane, {
    describe: (x) => {
      const now = prepared();
      const column = now === null ? null : columnAt(now.columns, x);
      if (column === null || now === null) return null;
      const where = stretchWords(words, view.now().place, columnRange(now.answer.window, column));
      return driverLines(words, now.answer.driver, column, where);
    },
  });
  return (
    <LaneFrame
      lane={lane}
      name={words.t('driver.name')}
      {...captionOf(driver, words)}
      levels={() => prepared()?.marks.levels ?? NO_LEVELS}
    >
      {driver.figure === null ? <p className="lane-note">{words.t('driver.nothing')}</p> : null}
      <MovingCanvas width={view.width} height={lane.height} picture={() => prepared()?.draw ?? null} />
    </LaneFrame>
  );
}

/** Which GPU or process, and how it was found to be that of the device. */
function captionOf({ figure, by }: Driver, words: Words): { readonly caption?: string } {
  if (figure === null || by === null) return {};
  const shown = figure.process ?? figure.group;
  return { caption: words.t('driver.caption', { figure: shown, by: words.t(`driver.by.${by}`) }) };
}

/** The driver's figure less what the allocator held at each sample; gaps where either is absent. */
export function DifferenceLane({ lane, view, touches, driver }: Props) {
  const { words } = view;
  const prepared = usePrepared(lane.height, view, driver, differenceOf);
  const isOfProcess = driver.figure?.process != null;
  const whole = driver.answers.data;
  useTouch(touches, lane, {
    describe: (x) => {
      const now = prepared();
      const column = now === null ? null : columnAt(now.columns, x);
      if (column === null || now === null) return null;
      const where = stretchWords(words, view.now().place, columnRange(now.answer.window, column));
      return differenceLines(words, now.answer, isOfProcess, column, where);
    },
  });
  return (
    <LaneFrame
      lane={lane}
      name={words.t('difference.name')}
      isQuiet
      caption={words.t(CAPTIONS[whole?.subtracted ?? 'reserved'])}
      levels={() => prepared()?.marks.levels ?? NO_LEVELS}
    >
      <MovingCanvas width={view.width} height={lane.height} picture={() => prepared()?.draw ?? null} />
      {whole === null ? null : <DifferenceNote answer={whole} words={words} />}
    </LaneFrame>
  );
}

const CAPTIONS = {
  reserved: 'difference.caption',
  stated: 'difference.captionStated',
  active: 'difference.captionActive',
} as const;

/** What must be known of the whole difference, whatever is visible of it. */
function DifferenceNote({ answer, words }: { readonly answer: DriverResult; readonly words: Words }) {
  const { samples, negative } = answer;
  if (samples === 0) return <p className="lane-note">{words.t('difference.empty')}</p>;
  if (negative === 0) return null;
  return (
    <p className="lane-caution">
      {words.t('difference.negativeNote', {
        count: negative,
        samples: words.count(samples),
      })}
    </p>
  );
}

const driverOf = (answer: DriverResult): SampledColumns => answer.driver;
const differenceOf = (answer: DriverResult): SampledColumns => answer.difference;

function usePrepared(
  height: number,
  view: PlotView,
  { answers, figure }: Driver,
  valuesOf: (answer: DriverResult) => SampledColumns,
) {
  const { width, palette } = view;
  const prepare = useMemo(
    () =>
      lastOf(({ range, grid }: PlotWindow, answer: DriverResult | null) => {
        if (answer === null || width <= 0) return null;
        const columns = columnScale(answer.window, range, width);
        const marks = prepareSigned(valuesOf(answer), columns, height, AIR);
        const frame = { width, height, grid, levels: marks.levels.map((level) => level.y) };
        const steps = stepCount(...marks.runs.flatMap(({ line, varied }) => [line, varied.lower]));
        const draw = drawSteps(steps, (surface) =>
          drawSigned(surface, marks.runs, marks.zero, palette, frame),
        );
        return { answer, columns, marks, draw };
      }),
    [width, height, palette, valuesOf],
  );
  return () => (figure === null ? null : prepare(view.now(), answers.newest()));
}
