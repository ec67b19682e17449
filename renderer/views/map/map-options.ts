import { create } from 'zustand';
import type { AddressWindow } from '../../charts/address-axis.ts';
import type { MapMode } from '../../charts/map-raster.ts';

/** How the Map is set up. */
export interface MapOptions {
  readonly mode: MapMode;
  /** Visible addresses of a trace's device and region; all of them when absent. */
  readonly addresses: Readonly<Record<string, AddressWindow>>;
  setMode(mode: MapMode): void;
  setAddresses(key: string, addresses: AddressWindow | null): void;
}

export const useMapOptions = create<MapOptions>()((set) => ({
  mode: 'occupancy',
  addresses: {},
  setMode: (mode) => set({ mode }),
  setAddresses: (key, chosen) =>
    set(({ addresses }) => {
      const { [key]: _, ...others } = addresses;
      return { addresses: chosen === null ? others : { ...others, [key]: chosen } };
    }),
}));
