import { useId, useRef, useState } from 'react';
import { addressOf } from '../../charts/address-axis.ts';
import { useSize } from '../../charts/canvas.tsx';
import { Tooltip } from '../../charts/tooltip.tsx';
import { type Place, useGestures } from '../../charts/use-gestures.ts';
import { useWords } from '../../charts/use-words.ts';
import { GUTTER, RIGHT_MARGIN, toValue, zoomAt } from '../../charts/viewport.ts';
import { useEngine } from '../../engine/engine.ts';
import { useActiveTrace, useUpdateTrace } from '../../state/active-trace.ts';
import { AddressGutter } from './address-gutter.tsx';
import { boxZoom } from './box-zoom.ts';
import { useHoverLines } from './hover-cell.ts';
import { InstantColumn } from './instant-column.tsx';
import { MapLegend } from './map-legend.tsx';
import { SelectedOutline } from './selected-outline.tsx';
import { type Addresses, type MapLook, useAddresses, useInstant, useMapLook } from './use-map.ts';
import { useMapKeys } from './use-map-keys.ts';

const SMALLEST_BYTES = 512;
/** There is no time to zoom. */
const NO_TIME = { from: 0, to: 1 };

/** A capture of one instant: the addresses alone, over the whole width. */
export function MapInstant() {
  const words = useWords();
  const { selection } = useActiveTrace();
  const [place, size] = useSize<HTMLDivElement>();
  const width = Math.max(0, size.width - GUTTER - RIGHT_MARGIN);
  const addresses = useAddresses();
  const look = useMapLook();
  const instant = useInstant(addresses);
  const keys = useMapKeys(addresses, instant, look);
  const help = useId();
  const emphasised = selection?.kind === 'site' ? selection.site : null;
  return (
    <div className="map">
      <div className="axis-line">
        <span className="axis-switch">{words.t('instant.label')}</span>
      </div>
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: one tab stop whose keys walk the blocks */}
      {/* biome-ignore-start lint/a11y/useSemanticElements: a fieldset is for fields */}
      <div
        ref={place}
        className="map-body"
        role="group"
        aria-label={words.t('map.plot')}
        aria-describedby={help}
        tabIndex={0}
      >
        {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: until here */}
        {/* biome-ignore-end lint/a11y/useSemanticElements: until here */}
        {addresses === null ? null : (
          <>
            <AddressGutter addresses={addresses} height={size.height} width={width} />
            <InstantColumn
              left={GUTTER}
              width={width}
              height={size.height}
              addresses={addresses}
              instant={instant}
              look={look}
              emphasised={emphasised}
            />
            <InstantLayer addresses={addresses} look={look} width={width} height={size.height} />
          </>
        )}
      </div>
      <MapLegend
        isInstant
        cells={null}
        addresses={addresses}
        look={look}
        width={width}
        height={size.height}
      />
      <p id={help} className="unseen" role="status">
        {keys.announcement}
      </p>
    </div>
  );
}

interface LayerProps {
  readonly addresses: Addresses;
  readonly look: MapLook;
  readonly width: number;
  readonly height: number;
}

function InstantLayer({ addresses, look, width, height }: LayerProps) {
  const target = useRef<HTMLDivElement>(null);
  const engine = useEngine();
  const { info, device, cursor } = useActiveTrace();
  const update = useUpdateTrace();
  const [hover, setHover] = useState<Place | null>(null);
  const zoom = (y: number, factor: number) => {
    const pivot = toValue(addresses.visible, height, y);
    addresses.setVisible(zoomAt(addresses.visible, pivot, factor, addresses.full, SMALLEST_BYTES));
  };
  const click = async (place: Place) => {
    const address = addressOf(addresses.ranges, toValue(addresses.visible, height, place.y));
    if (address === null) return;
    const hit = await engine.call('hit', { trace: info.trace, device, event: cursor, address });
    if (hit.kind === 'block') update({ selection: { kind: 'block', block: hit.block } });
    else update({ selection: hit.kind === 'hole' ? { kind: 'segment', segment: hit.segment } : null });
  };
  useGestures(target, {
    width,
    range: () => NO_TIME,
    full: NO_TIME,
    smallest: 1,
    margin: 0,
    onRange: () => {},
    onHover: setHover,
    onClick: (place) => void click(place),
    onDoubleClick: (place) => zoom(place.y, 0.25),
    onDrag: (from, to, end) => {
      if (end === null) return;
      const zoomed = boxZoom({ from, to }, NO_TIME, addresses.visible, width, height);
      if (zoomed.addresses !== null) addresses.setVisible(zoomed.addresses);
    },
    onAddressWheel: zoom,
  });
  return (
    <div ref={target} className="plot-layer" style={{ left: GUTTER, width, height }}>
      <SelectedOutline addresses={addresses} width={0} height={height} />
      {hover === null ? null : (
        <InstantHover hover={hover} addresses={addresses} look={look} width={width} height={height} />
      )}
    </div>
  );
}

/** The pointer is always in the strip: its time is the instant's own. */
function InstantHover({ hover, addresses, look, width, height }: LayerProps & { hover: Place }) {
  const lines = useHoverLines({
    hover,
    range: NO_TIME,
    addresses,
    cells: null,
    look,
    width: -1,
    height,
    unit: 'event',
  });
  return (
    <>
      <div className="crosshair-across" style={{ top: hover.y }} />
      {lines.length === 0 ? null : <Tooltip lines={lines} x={hover.x} y={hover.y} width={width} />}
    </>
  );
}
