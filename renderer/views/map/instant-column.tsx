import { useCallback, useMemo } from 'react';
import { Canvas, type Draw, usePicture, usePixelRatio } from '../../charts/canvas.tsx';
import { drawPicture } from '../../charts/draw.ts';
import { rasterInstant } from '../../charts/instant-strip.ts';
import { useMapOptions } from './map-options.ts';
import type { Addresses, Instant, MapLook } from './use-map.ts';

interface Props {
  readonly left: number;
  readonly width: number;
  readonly height: number;
  readonly addresses: Addresses;
  readonly instant: Instant | null;
  readonly look: MapLook;
  readonly emphasised: number | null;
}

/** The region at the cursor, on the map's own address axis. */
export function InstantColumn({ left, width, height, addresses, instant, look, emphasised }: Props) {
  const mode = useMapOptions((options) => options.mode);
  const ratio = usePixelRatio();
  const pixels = useMemo(() => {
    if (instant === null || height <= 0) return null;
    const rows = Math.round(height * ratio);
    const columns = Math.round(width * ratio);
    const { marks, state } = instant;
    return rasterInstant(marks, state, addresses.visible, columns, rows, mode, look.colours, emphasised);
  }, [instant, addresses.visible, width, height, ratio, mode, look.colours, emphasised]);
  const picture = usePicture(pixels, Math.round(width * ratio), Math.round(height * ratio));
  const draw: Draw = useCallback(
    (surface) => {
      if (picture !== null) drawPicture(surface, picture, 0, 0, width, height);
    },
    [picture, width, height],
  );
  return (
    <div className="map-cells" style={{ left, width, height }}>
      <Canvas width={width} height={height} draw={draw} />
    </div>
  );
}
