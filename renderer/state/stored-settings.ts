import * as v from 'valibot';
import { DEFAULT_SETTINGS, type Settings, useStore } from './store.ts';
import { readStored, writeStored } from './stored.ts';

const KEY = 'strata.settings';

export const SIDEBAR_WIDTHS = { least: 150, most: 300 } as const;
export const INSPECTOR_WIDTHS = { least: 240, most: 480 } as const;
export const SCALES = [80, 90, 100, 110, 125, 150, 175, 200] as const;

const width = (limits: { readonly least: number; readonly most: number }, usual: number) =>
  v.optional(v.pipe(v.number(), v.minValue(limits.least), v.maxValue(limits.most)), usual);

const schema: v.GenericSchema<unknown, Settings> = v.object({
  theme: v.optional(v.picklist(['system', 'light', 'dark', 'contrast']), DEFAULT_SETTINGS.theme),
  language: v.optional(v.picklist(['system', 'en', 'zh-CN']), DEFAULT_SETTINGS.language),
  isInspectorOpen: v.optional(v.boolean(), DEFAULT_SETTINGS.isInspectorOpen),
  sidebarWidth: width(SIDEBAR_WIDTHS, DEFAULT_SETTINGS.sidebarWidth),
  inspectorWidth: width(INSPECTOR_WIDTHS, DEFAULT_SETTINGS.inspectorWidth),
  scalePercent: v.optional(v.picklist(SCALES), 100),
});

/** Reads the settings before the first render and keeps what changes. */
export function startSettings(): void {
  useStore.getState().updateSettings(readStored(KEY, schema, DEFAULT_SETTINGS));
  const apply = () => {
    document.documentElement.style.zoom = `${useStore.getState().settings.scalePercent}%`;
  };
  apply();
  useStore.subscribe((state, before) => {
    if (state.settings === before.settings) return;
    writeStored(KEY, state.settings);
    apply();
  });
}
