import { useMemo } from 'react';
import type { MapResult } from '../../../app/contract/engine.ts';
import { formatBytes, formatDuration } from '../../../app/domain/format.ts';
import { NO_SITE } from '../../charts/map-raster.ts';
import { siteName } from '../../charts/site-name.ts';
import { useWords, type Words } from '../../charts/use-words.ts';
import { ownerVariable } from '../../design/colours.ts';
import { useActiveDevice, useActiveTrace } from '../../state/active-trace.ts';
import { useMapOptions } from './map-options.ts';
import type { Addresses, MapLook } from './use-map.ts';

interface Props {
  readonly cells: MapResult | null;
  readonly addresses: Addresses | null;
  readonly look: MapLook;
  /** There is no time: a row of pixels is all there is. */
  readonly isInstant?: boolean;
  readonly width: number;
  readonly height: number;
}

/** What the colours mean, and what one cell of the picture stands for. */
export function MapLegend({ cells, addresses, look, isInstant = false, width, height }: Props) {
  const { mapRegion, range, axis } = useActiveTrace();
  const areGapsKnown = useActiveDevice().layout === 'segments';
  const { mode } = useMapOptions();
  const words = useWords();
  const sites = useMemo(() => sitesIn(cells), [cells]);
  return (
    <div className="map-legend">
      {mode === 'occupancy' ? (
        <span>
          {areGapsKnown ? words.t('map.legendFree') : null}
          <span
            className="legend-ramp"
            style={{
              background: `linear-gradient(90deg in oklab, var(--free), var(--${mapRegion}-area), var(--${mapRegion}-text))`,
            }}
          />
          {words.t('map.legendFull')}
        </span>
      ) : (
        <>
          {sites.map((rank) => (
            <span key={rank}>
              <span className="swatch" style={{ background: ownerVariable(rank, look.sites.length) }} />
              {siteName(words, look.sites, rank)}
            </span>
          ))}
          {areGapsKnown ? (
            <span>
              <span className="swatch legend-free" />
              {words.t('map.legendFree')}
            </span>
          ) : null}
        </>
      )}
      <span>
        <span className="swatch legend-unmapped" />
        {areGapsKnown ? words.t('map.legendUnmapped') : words.t('map.legendUnknown')}
      </span>
      {addresses?.isZoomed ? (
        <button type="button" className="button ghost" onClick={() => addresses.setVisible(null)}>
          {words.t('map.resetAddresses')}
        </button>
      ) : null}
      {addresses === null || width <= 0 || height <= 0 ? null : (
        <span className="legend-cell">
          {isInstant
            ? words.t('map.cellInstant', { bytes: rowWords(words, addresses, height) })
            : words.t('map.cell', {
                time: lengthWords(words, axis, (range.to - range.from) / width),
                bytes: rowWords(words, addresses, height),
              })}
        </span>
      )}
    </div>
  );
}

/** The addresses that a row of pixels spans. */
function rowWords(words: Words, addresses: Addresses, height: number): string {
  return formatBytes(Math.max(1, (addresses.visible.to - addresses.visible.from) / height), words.locale);
}

export function lengthWords(words: Words, axis: 'time' | 'event', length: number): string {
  if (axis === 'time') return formatDuration(length, words.locale);
  const events = Math.max(1, Math.round(length));
  return words.t('map.events', { count: events, events: words.count(events) });
}

/** Call sites that own a cell, in their order. */
function sitesIn(cells: MapResult | null): number[] {
  if (cells === null) return [];
  const found = new Set<number>();
  for (const site of cells.site) if (site !== NO_SITE) found.add(site);
  return [...found].sort((one, other) => one - other);
}
