import { create } from 'zustand';
import type { AxisName, RegionName, TraceInfo } from '../../app/contract/engine.ts';
import type { EventIndex } from '../../app/domain/units.ts';
import { firstView } from './views.ts';

/**
 * What the user chose and nothing that can be computed. Everything else is derived by selectors and queries.
 */

export const VIEW_NAMES = ['overview', 'timeline', 'map', 'readings', 'whatIf'] as const;
export type ViewName = (typeof VIEW_NAMES)[number];

/** What needs no trace, or all of them. */
export type ToolName = 'live' | 'record' | 'allocations';

/** Half-open on the trace's current axis: ns or event indices. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export type Selection =
  | { readonly kind: 'block'; readonly block: number }
  | { readonly kind: 'segment'; readonly segment: number }
  | { readonly kind: 'site'; readonly site: number }
  | { readonly kind: 'range'; readonly range: Range };

/** One open trace: the cursor, selection and range are shared by all of its views. */
export interface TraceState {
  readonly info: TraceInfo;
  readonly view: ViewName;
  /** Position in info.devices. */
  readonly device: number;
  readonly axis: AxisName;
  /** The visible window; all views and the overview strip share it. */
  readonly range: Range;
  /** The moment after this event. */
  readonly cursor: EventIndex;
  readonly selection: Selection | null;
  readonly mapRegion: RegionName;
  readonly isTableOpen: boolean;
}

export type ThemeChoice = 'system' | 'light' | 'dark' | 'contrast';
export type LanguageChoice = 'system' | 'en' | 'zh-CN';

export interface Settings {
  readonly theme: ThemeChoice;
  readonly language: LanguageChoice;
  readonly isInspectorOpen: boolean;
  readonly sidebarWidth: number;
  readonly inspectorWidth: number;
  readonly scalePercent: number;
}

export interface AppState {
  readonly traces: readonly TraceState[];
  /** Trace id, or null for Start. */
  readonly active: string | null;
  /** The settings stand in place of the trace or of Start. */
  readonly isSettingsOpen: boolean;
  /** A tool stands in place of the trace or of Start, below the settings. */
  readonly tool: ToolName | null;
  readonly settings: Settings;
  addTrace(info: TraceInfo, start: Pick<TraceState, 'device' | 'cursor' | 'mapRegion'>): void;
  closeTrace(trace: string): void;
  /** Puts traces in this order, in the places they take up; when one of them is shown, the first is. */
  arrange(order: readonly string[]): void;
  activate(trace: string | null): void;
  openSettings(): void;
  openTool(tool: ToolName): void;
  /** The engine lost every trace. */
  closeAll(): void;
  /** A trace that is being received has grown. */
  growTrace(info: TraceInfo, change: Partial<Omit<TraceState, 'info'>>): void;
  /** Changes parts of one trace's state. */
  update(trace: string, change: Partial<Omit<TraceState, 'info'>>): void;
  updateSettings(change: Partial<Settings>): void;
}

/** The whole trace on an axis, never empty. */
export function fullRange(info: TraceInfo, device: number, axis: AxisName): Range {
  const length = axis === 'time' ? info.durationNs : (info.devices[device]?.events ?? 0);
  return { from: 0, to: Math.max(1, axis === 'time' ? length + 1 : length) };
}

/** A window without the nanosecond behind the last event, which the axis has so that the event can be seen. */
export function withinTrace(range: Range, info: TraceInfo, axis: AxisName): Range {
  return axis === 'time' ? { from: range.from, to: Math.min(range.to, info.durationNs) } : range;
}

/** Time where the device has times: in a set, some may have none. */
export function usualAxis(info: TraceInfo, device: number): AxisName {
  return (info.devices[device]?.hasClock ?? info.hasClock) ? 'time' : 'event';
}

export const DEFAULT_SETTINGS: Settings = {
  theme: 'system',
  language: 'system',
  isInspectorOpen: true,
  sidebarWidth: 184,
  inspectorWidth: 296,
  scalePercent: 100,
};

export const useStore = create<AppState>()((set) => ({
  traces: [],
  active: null,
  isSettingsOpen: false,
  tool: null,
  settings: DEFAULT_SETTINGS,
  addTrace: (info, start) =>
    set((state) => {
      const axis = usualAxis(info, start.device);
      const trace: TraceState = {
        info,
        view: firstView(info),
        axis,
        range: fullRange(info, start.device, axis),
        selection: null,
        isTableOpen: false,
        ...start,
      };
      return { traces: [...state.traces, trace], active: info.trace, isSettingsOpen: false, tool: null };
    }),
  closeTrace: (trace) =>
    set((state) => {
      const at = state.traces.findIndex((one) => one.info.trace === trace);
      const traces = state.traces.filter((one) => one.info.trace !== trace);
      const neighbour = traces[Math.min(at, traces.length - 1)]?.info.trace ?? null;
      return { traces, active: state.active === trace ? neighbour : state.active };
    }),
  arrange: (order) =>
    set((state) => {
      const isMoved = ({ info }: TraceState) => order.includes(info.trace);
      const moved = state.traces
        .filter(isMoved)
        .sort((one, other) => order.indexOf(one.info.trace) - order.indexOf(other.info.trace));
      let next = 0;
      const traces = state.traces.map((one) => (isMoved(one) ? (moved[next++] ?? one) : one));
      const isShown = moved.some(({ info }) => info.trace === state.active);
      return { traces, active: isShown ? (moved[0]?.info.trace ?? null) : state.active };
    }),
  activate: (active) => set({ active, isSettingsOpen: false, tool: null }),
  openSettings: () => set({ isSettingsOpen: true }),
  openTool: (tool) => set({ tool, isSettingsOpen: false }),
  closeAll: () => set({ traces: [], active: null }),
  growTrace: (info, change) =>
    set((state) => ({
      traces: state.traces.map((one) => (one.info.trace === info.trace ? { ...one, info, ...change } : one)),
    })),
  update: (trace, change) =>
    set((state) => ({
      traces: state.traces.map((one) => (one.info.trace === trace ? { ...one, ...change } : one)),
    })),
  updateSettings: (change) => set((state) => ({ settings: { ...state.settings, ...change } })),
}));

/** What is visible of a trace in this moment, while it moves too; of one that was closed, nothing is asked any more. */
export function visibleRange(trace: string): Range {
  const found = useStore.getState().traces.find((one) => one.info.trace === trace);
  return found?.range ?? NO_RANGE;
}

const NO_RANGE: Range = { from: 0, to: 1 };
