import { useMemo } from 'react';
import type { FoldedRange, SiteInfo, StateResult } from '../../../app/contract/engine.ts';
import { type AddressWindow, foldedBytes, folder } from '../../charts/address-axis.ts';
import { mapColours } from '../../charts/chart-colours.ts';
import { type InstantMarks, prepareInstant } from '../../charts/instant-strip.ts';
import type { MapColours } from '../../charts/map-raster.ts';
import { useWindowQuery, type WindowAnswers } from '../../charts/window-query.ts';
import { type Palette, usePalette } from '../../design/colours.ts';
import { useQuery } from '../../engine/use-query.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import { useMapOptions } from './map-options.ts';

const NO_RANGES: readonly FoldedRange[] = [];
const NO_SITES: readonly SiteInfo[] = [];
/** The contract answers at most so many rows. */
const MOST_ROWS = 4096;

/** The folded addresses of the region and the part of them that is visible. */
export interface Addresses {
  readonly ranges: readonly FoldedRange[];
  readonly full: AddressWindow;
  readonly visible: AddressWindow;
  readonly isZoomed: boolean;
  readonly offsetOf: (address: bigint) => number | null;
  readonly setVisible: (addresses: AddressWindow | null) => void;
}

export function useAddresses(): Addresses | null {
  const { info, device, mapRegion } = useActiveTrace();
  const { data } = useQuery('ranges', { trace: info.trace, device, region: mapRegion });
  const key = `${info.trace} ${device} ${mapRegion}`;
  const chosen = useMapOptions((options) => options.addresses[key]);
  const setAddresses = useMapOptions((options) => options.setAddresses);
  return useMemo(() => {
    if (data === null) return null;
    const ranges = data ?? NO_RANGES;
    const full = { from: 0, to: Math.max(1, foldedBytes(ranges)) };
    return {
      ranges,
      full,
      visible: chosen ?? full,
      isZoomed: chosen !== undefined,
      offsetOf: folder(ranges),
      setVisible: (addresses) => {
        const isAll = addresses === null || (addresses.from <= 0 && addresses.to >= full.to);
        setAddresses(key, isAll ? null : addresses);
      },
    };
  }, [data, chosen, key, setAddresses]);
}

/** The cells of the visible window, one a CSS pixel. */
export function useCells(width: number, height: number, visible: AddressWindow | null): WindowAnswers<'map'> {
  const { info, device, mapRegion } = useActiveTrace();
  const size = width > 0 && height > 0 && visible !== null ? { width, pixelRatio: 1 } : null;
  return useWindowQuery('map', size, (window) => ({
    trace: info.trace,
    device,
    region: mapRegion,
    window,
    fromOffset: visible?.from ?? 0,
    toOffset: visible?.to ?? 1,
    rows: Math.max(1, Math.min(MOST_ROWS, Math.round(height))),
  }));
}

/** Segments and blocks at the cursor, on the folded axis. */
export interface Instant {
  readonly state: StateResult;
  readonly marks: InstantMarks;
}

export function useInstant(addresses: Addresses | null): Instant | null {
  const { info, device, cursor, mapRegion } = useActiveTrace();
  const { data } = useQuery('state', { trace: info.trace, device, event: cursor });
  const offsetOf = addresses?.offsetOf;
  return useMemo(
    () =>
      data === null || offsetOf === undefined
        ? null
        : { state: data, marks: prepareInstant(data, mapRegion, offsetOf) },
    [data, mapRegion, offsetOf],
  );
}

export interface MapLook {
  readonly palette: Palette;
  readonly colours: MapColours;
  readonly sites: readonly SiteInfo[];
}

export function useMapLook(): MapLook {
  const { info, device, mapRegion } = useActiveTrace();
  const palette = usePalette();
  const sites = useQuery('sites', { trace: info.trace, device }).data ?? NO_SITES;
  const colours = useMemo(
    () => mapColours(palette, mapRegion, sites.length),
    [palette, mapRegion, sites.length],
  );
  return useMemo(() => ({ palette, colours, sites }), [palette, colours, sites]);
}
