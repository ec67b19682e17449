import { useMemo } from 'react';
import type { RegionName } from '../../app/contract/engine.ts';
import { usePalette } from '../design/colours.ts';
import { useQuery } from '../engine/use-query.ts';
import { isInstant, useActiveDevice, useActiveTrace } from '../state/active-trace.ts';
import { fullRange, type Range, visibleRange, withinTrace } from '../state/store.ts';
import { Canvas, type Draw, usePixelRatio, useSize } from './canvas.tsx';
import { columnScale } from './columns.ts';
import { fillUnder, strokeSteps } from './draw.ts';
import { InstantBar } from './instant-bar.tsx';
import { largestVisible } from './lane-scale.ts';
import { useLagging } from './live.ts';
import { stretchWords } from './moment-words.ts';
import { stepPath, valueScale, valueY } from './series-path.ts';
import { StripBrush } from './strip-brush.tsx';
import { type AxisUnit, timeAxis } from './time-axis.ts';
import { useWords } from './use-words.ts';
import { GUTTER, isWhole, RIGHT_MARGIN, toPixel } from './viewport.ts';
import './charts.css';

const HEIGHT = 50;
const AIR = 6;
/** A cut-off capture: what was not read, and the end. */
const UNREAD_WIDTH = 110;
const END_WIDTH = 46;

/** The whole trace below every view: what is visible of it, and the cursor. */
export function OverviewStrip() {
  const { info, device } = useActiveTrace();
  const isOneState = isInstant(useActiveDevice());
  return (
    <footer className="strip" key={`${info.trace} ${device}`}>
      {isOneState ? <InstantBar /> : <StripOfEvents />}
    </footer>
  );
}

function StripOfEvents() {
  const { info, device, axis } = useActiveTrace();
  const words = useWords();
  const [place, size] = useSize<HTMLDivElement>();
  const full = useMemo(() => fullRange(info, device, axis), [info, device, axis]);
  const isCut = !info.isComplete;
  const inner = Math.max(0, size.width - GUTTER - RIGHT_MARGIN);
  const width = Math.max(0, inner - (isCut ? UNREAD_WIDTH + END_WIDTH : 0));
  const ticks = useMemo(
    () => timeAxis(axis, full, width, { locale: words.locale, event: words.t('axis.event') }),
    [axis, full, width, words],
  );
  const picture = useStripPicture(width);
  return (
    <div ref={place} className="strip-content">
      <div className="strip-gutter" style={{ width: GUTTER }}>
        <b>{words.t(isCut ? 'strip.read' : 'strip.label')}</b>
        <Caption full={full} unit={ticks.unit} />
      </div>
      <div className="strip-plot" style={{ left: GUTTER, width: inner }}>
        <Canvas width={width} height={HEIGHT} draw={picture.draw} />
        {isCut ? (
          <div className="strip-unread" style={{ left: width, width: UNREAD_WIDTH, height: HEIGHT }}>
            <span>{words.t('damaged.notRead')}</span>
          </div>
        ) : null}
        {isCut && picture.end !== null ? (
          <div
            className="strip-end"
            title={words.t('damaged.atTheEnd')}
            style={{
              left: width + UNREAD_WIDTH,
              width: END_WIDTH,
              height: picture.end,
              top: HEIGHT - picture.end,
              background: `var(--${picture.region}-area)`,
            }}
          />
        ) : null}
        {width > 0 ? <StripVeils full={full} width={width} /> : null}
        {width > 0 ? <StripBrush full={full} width={width} height={HEIGHT} unit={ticks.unit} /> : null}
        <div className="strip-axis" aria-hidden="true" style={{ top: HEIGHT }}>
          {ticks.ticks.map((tick) => (
            <span key={tick.value} className="axis-label" data-anchor={tick.anchor} style={{ left: tick.x }}>
              {tick.label}
            </span>
          ))}
        </div>
      </div>
    </div>
  );
}

/** Of a set: where the file of the device recorded nothing, before its first event and after its last. */
function StripVeils({ full, width }: { readonly full: Range; readonly width: number }) {
  const { info, axis } = useActiveTrace();
  const { span } = useActiveDevice();
  if (info.parts.length === 0 || axis !== 'time' || span === null) return null;
  const ends = [
    { from: 0, to: toPixel(full, width, span.first) },
    { from: toPixel(full, width, span.last), to: width },
  ];
  return ends.map(({ from, to }, at) => (
    <div
      key={at === 0 ? 'before' : 'after'}
      className="lane-veil"
      style={{ left: from, width: Math.max(0, to - from), top: 0, height: HEIGHT }}
    />
  ));
}

/** What is visible of the trace, in words. */
function Caption({ full, unit }: { readonly full: Range; readonly unit: AxisUnit }) {
  const { info, axis } = useActiveTrace();
  const { events } = useActiveDevice();
  const range = useLagging(() => visibleRange(info.trace));
  const words = useWords();
  const isAll = axis === 'event' && isWhole(range, full);
  return (
    <span>
      {isAll
        ? words.t('strip.events', { count: events, events: words.count(events) })
        : stretchWords(words, { axis, unit }, withinTrace(range, info, axis))}
    </span>
  );
}

/** Reserved and active of all regions, in the hue of the region that holds most. */
function useStripPicture(width: number): { draw: Draw; end: number | null; region: RegionName } {
  const { info, device, axis } = useActiveTrace();
  const { regions } = useActiveDevice();
  const palette = usePalette();
  const ratio = usePixelRatio();
  const full = fullRange(info, device, axis);
  const columns = Math.max(1, Math.min(16384, Math.round(width * ratio)));
  const window = width > 0 ? { axis, from: full.from, to: full.to, columns } : null;
  const { data } = useQuery('series', window === null ? null : { trace: info.trace, device, window });
  const report = useQuery('report', info.isComplete ? null : { trace: info.trace });
  const final = report.data?.devices[device]?.stored_end?.reserved ?? null;
  return useMemo(() => {
    const region = mostReserved(regions, (one) =>
      data === null
        ? 0
        : largestVisible(data.regions[one].reserved.max, everyColumn(data.window.columns)).value,
    );
    if (data === null || data.window.axis !== axis || width <= 0)
      return { draw: () => {}, end: null, region };
    const scale = columnScale(data.window, { from: full.from, to: full.to }, width);
    const top = Math.max(final ?? 0, largestVisible(data.total.reserved.max, scale).value);
    const y = valueScale(HEIGHT, top, AIR);
    const reserved = stepPath(data.total.reserved.max, scale, y);
    const active = stepPath(data.total.active.max, scale, y);
    const draw: Draw = (surface) => {
      fillUnder(surface, reserved, HEIGHT, palette.colours.free);
      fillUnder(surface, active, HEIGHT, palette.colours[`${region}-area`]);
      strokeSteps(surface, reserved, palette.colours['ink-2'], 1.2);
    };
    return { draw, end: final === null ? null : HEIGHT - valueY(y, final), region };
  }, [data, axis, full.from, full.to, width, final, palette, regions]);
}

function everyColumn(count: number) {
  return { left: 0, width: 1, first: 0, end: count };
}

function mostReserved(regions: readonly RegionName[], of: (region: RegionName) => number): RegionName {
  return regions.reduce((best, region) => (of(region) > of(best) ? region : best), regions[0] ?? 'pooled');
}
