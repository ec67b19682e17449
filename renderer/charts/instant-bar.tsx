import { useCallback, useMemo } from 'react';
import { usePalette } from '../design/colours.ts';
import { useQuery } from '../engine/use-query.ts';
import { useActiveDevice, useActiveTrace } from '../state/active-trace.ts';
import { foldedBytes, folder } from './address-axis.ts';
import { Canvas, type Draw, usePicture, usePixelRatio, useSize } from './canvas.tsx';
import { mapColours } from './chart-colours.ts';
import { drawPicture } from './draw.ts';
import { prepareInstant, rasterInstant } from './instant-strip.ts';
import { regionCaption, toldApartBy } from './region-caption.ts';
import { useWords } from './use-words.ts';
import { GUTTER, RIGHT_MARGIN } from './viewport.ts';

const HEIGHT = 40;

/** A trace of one instant has no time: in the strip's place lies the address space of the region. */
export function InstantBar() {
  const { info, device, mapRegion, cursor } = useActiveTrace();
  const active = useActiveDevice();
  const words = useWords();
  // the whole segments lie here, also where sizes tell their blocks apart
  const by = active.isRegionBySize ? 'capture' : toldApartBy(info.format, active);
  const palette = usePalette();
  const ratio = usePixelRatio();
  const [place, size] = useSize<HTMLDivElement>();
  const width = Math.max(0, size.width - GUTTER - RIGHT_MARGIN);
  const on = { trace: info.trace, device };
  const state = useQuery('state', { ...on, event: cursor });
  const ranges = useQuery('ranges', { ...on, region: mapRegion });
  const pixels = useMemo(() => {
    if (state.data === null || ranges.data === null || width <= 0) return null;
    const view = { from: 0, to: Math.max(1, foldedBytes(ranges.data)) };
    const marks = prepareInstant(state.data, mapRegion, folder(ranges.data));
    const colours = mapColours(palette, mapRegion, 1);
    return rasterInstant(marks, state.data, view, 1, Math.round(width * ratio), 'occupancy', colours, null);
  }, [state.data, ranges.data, mapRegion, palette, width, ratio]);
  const picture = usePicture(pixels, pixels?.length ?? 0, 1);
  const draw: Draw = useCallback(
    (surface) => {
      if (picture !== null) drawPicture(surface, picture, 0, 0, width, HEIGHT);
    },
    [picture, width],
  );
  return (
    <div ref={place} className="strip-content">
      <div className="strip-gutter" style={{ width: GUTTER }}>
        <b>{words.t(`region.${mapRegion}`)}</b>
        <span>{regionCaption(words, mapRegion, true, by)}</span>
      </div>
      <div className="strip-plot strip-instant" style={{ left: GUTTER, width }}>
        <Canvas width={width} height={HEIGHT} draw={draw} />
        <p style={{ top: HEIGHT + 4 }}>{words.t('instant.label')}</p>
      </div>
    </div>
  );
}
