import type { Platform } from '../engine/platform.ts';
import { isOverlayNow } from '../frame/use-layout.ts';
import { useFrame } from '../state/frame.ts';
import { openMany } from '../state/openings.ts';
import { type TraceState, useStore, type ViewName } from '../state/store.ts';
import { closeTrace } from '../state/traces.ts';
import { reasonAgainst } from '../state/views.ts';
import * as cursor from './cursor.ts';
import type { Keys } from './keys.ts';

/**
 * Every command once: what it does, when it can be done and which keys do it. The keyboard, the help dialog and the
 * tooltips all read this table; the words are `commands.<id>` of the locale.
 */
export interface CommandContext {
  readonly platform: Platform;
  /** The trace whose view is on screen, or null on Start and in the settings. */
  readonly trace: TraceState | null;
}

export type CommandGroup = 'files' | 'views' | 'cursor' | 'window' | 'panels';
export const COMMAND_GROUPS: readonly CommandGroup[] = ['files', 'views', 'cursor', 'window', 'panels'];

interface CommandShape {
  readonly group: CommandGroup;
  readonly keys: readonly Keys[];
  /** In a browser, where it keeps the usual keys for itself. */
  readonly browserKeys?: readonly Keys[];
  readonly isAvailable?: (context: CommandContext) => boolean;
  readonly run: (context: CommandContext) => void;
}

export type TraceRun = (trace: TraceState, context: CommandContext) => void;

/** In a set, some devices may have no times. */
const isTimed = ({ info, device }: TraceState) => info.devices[device]?.hasClock === true;

const isPicture = ({ trace }: CommandContext) => trace !== null && trace.view !== 'overview';
/** Readings are no blocks, which is what the inspector is about. */
const hasInspector = (context: CommandContext) => isPicture(context) && context.trace?.view !== 'readings';
/** There is a window to move: over events, or over sampled readings. */
const hasAxis = (trace: TraceState) => cursor.lastEvent(trace) >= 0 || trace.info.counters > 0;

/** A command that needs a trace on screen, by default one with events. */
function onTrace(
  group: CommandGroup,
  keys: readonly Keys[],
  run: TraceRun,
  isAvailable: (trace: TraceState) => boolean = (trace) => cursor.lastEvent(trace) >= 0,
): CommandShape {
  return {
    group,
    keys,
    isAvailable: ({ trace }) => trace !== null && isAvailable(trace),
    run: (context) => {
      if (context.trace !== null) run(context.trace, context);
    },
  };
}

function toView(view: ViewName, key: string): CommandShape {
  const run: TraceRun = ({ info }) => {
    useStore.getState().activate(info.trace);
    useStore.getState().update(info.trace, { view });
  };
  return onTrace('views', [{ key }], run, ({ info }) => reasonAgainst(view, info) === null);
}

async function openChosen({ platform }: CommandContext): Promise<void> {
  void openMany(platform.engine, await platform.pickFiles());
}

/** A simulation is no file, and one trace alone has nothing to be put together with. */
const canJoin = () =>
  useStore.getState().traces.filter(({ info }) => info.source.kind !== 'simulation').length >= 2;

function stepTrace(direction: 1 | -1): void {
  const { traces, active, activate } = useStore.getState();
  if (traces.length === 0) return;
  const at = traces.findIndex((one) => one.info.trace === active);
  const next = at < 0 ? (direction > 0 ? 0 : traces.length - 1) : at + direction;
  activate(traces[(next + traces.length) % traces.length]?.info.trace ?? null);
}

/** Esc goes one step back: overlay, then selection, then the visible window. */
function stepBack({ trace }: CommandContext): void {
  const frame = useFrame.getState();
  if (frame.isInspectorOverlayOpen) frame.setInspectorOverlay(false);
  else if (trace?.selection) useStore.getState().update(trace.info.trace, { selection: null });
  else if (trace !== null) cursor.showAll(trace.info.trace);
}

function toggleInspector(): void {
  const frame = useFrame.getState();
  if (isOverlayNow()) {
    frame.setInspectorOverlay(!frame.isInspectorOverlayOpen);
    return;
  }
  const { settings, updateSettings } = useStore.getState();
  updateSettings({ isInspectorOpen: !settings.isInspectorOpen });
}

const peakOf = (trace: TraceState) => trace.info.devices[trace.device]?.peakEvent ?? -1;

export const commands = {
  open: {
    group: 'files',
    keys: [{ key: 'o', control: true }],
    run: (context) => void openChosen(context),
  },
  together: {
    group: 'files',
    keys: [{ key: 'j' }],
    isAvailable: canJoin,
    run: () => useFrame.getState().openDialog('together'),
  },
  closeTrace: {
    ...onTrace(
      'files',
      [{ key: 'w', control: true }],
      ({ info }, { platform }) => closeTrace(platform.engine, info.trace),
      () => true,
    ),
    browserKeys: [{ key: 'w', alt: true }],
  },
  nextTrace: {
    group: 'files',
    keys: [{ key: 'Tab', control: true }],
    browserKeys: [{ key: 'n', alt: true }],
    run: () => stepTrace(1),
  },
  previousTrace: {
    group: 'files',
    keys: [{ key: 'Tab', control: true, shift: true }],
    browserKeys: [{ key: 'n', alt: true, shift: true }],
    run: () => stepTrace(-1),
  },

  overview: toView('overview', '1'),
  timeline: toView('timeline', '2'),
  map: toView('map', '3'),
  whatIf: toView('whatIf', '7'),
  readings: toView('readings', '0'),

  live: { group: 'views', keys: [{ key: '9' }], run: () => useStore.getState().openTool('live') },

  record: { group: 'views', keys: [{ key: 'F1' }], run: () => useStore.getState().openTool('record') },

  sampleBack: onTrace('cursor', [{ key: 'ArrowLeft' }], ({ info }, { platform }) =>
    cursor.stepSamples(platform.engine, info.trace, -1),
  ),
  sampleOn: onTrace('cursor', [{ key: 'ArrowRight' }], ({ info }, { platform }) =>
    cursor.stepSamples(platform.engine, info.trace, 1),
  ),
  samplesBack: onTrace('cursor', [{ key: 'ArrowLeft', shift: true }], ({ info }, { platform }) =>
    cursor.stepSamples(platform.engine, info.trace, -10),
  ),
  samplesOn: onTrace('cursor', [{ key: 'ArrowRight', shift: true }], ({ info }, { platform }) =>
    cursor.stepSamples(platform.engine, info.trace, 10),
  ),
  first: onTrace('cursor', [{ key: 'Home' }], ({ info }, { platform }) =>
    cursor.goToEvent(platform.engine, info.trace, -1),
  ),
  last: onTrace('cursor', [{ key: 'End' }], (trace, { platform }) =>
    cursor.goToEvent(platform.engine, trace.info.trace, cursor.lastEvent(trace)),
  ),
  eventBack: onTrace('cursor', [{ key: '[' }], ({ info }, { platform }) =>
    cursor.stepEvents(platform.engine, info.trace, -1),
  ),
  eventOn: onTrace('cursor', [{ key: ']' }], ({ info }, { platform }) =>
    cursor.stepEvents(platform.engine, info.trace, 1),
  ),
  markerBack: onTrace('cursor', [{ key: '[', shift: true }], ({ info }, { platform }) =>
    cursor.stepMarkers(platform.engine, info.trace, -1, 'any'),
  ),
  markerOn: onTrace('cursor', [{ key: ']', shift: true }], ({ info }, { platform }) =>
    cursor.stepMarkers(platform.engine, info.trace, 1, 'any'),
  ),
  peak: onTrace('cursor', [{ key: 'p' }], (trace, { platform }) =>
    cursor.goToEvent(platform.engine, trace.info.trace, peakOf(trace)),
  ),
  failure: onTrace('cursor', [{ key: 'o' }], ({ info }, { platform }) =>
    cursor.stepMarkers(platform.engine, info.trace, 1, 'failure'),
  ),
  goTo: onTrace(
    'cursor',
    [{ key: 'g' }],
    () => useFrame.getState().openDialog('goTo'),
    ({ info }) => info.devices.length > 0,
  ),

  zoomIn: onTrace(
    'window',
    [{ key: 'w' }],
    ({ info }, { platform }) => cursor.zoom(platform.engine, info.trace, 0.5),
    hasAxis,
  ),
  zoomOut: onTrace(
    'window',
    [{ key: 's' }],
    ({ info }, { platform }) => cursor.zoom(platform.engine, info.trace, 2),
    hasAxis,
  ),
  panBack: onTrace('window', [{ key: 'a' }], ({ info }) => cursor.pan(info.trace, -0.25), hasAxis),
  panOn: onTrace('window', [{ key: 'd' }], ({ info }) => cursor.pan(info.trace, 0.25), hasAxis),
  zoomToSelection: onTrace('window', [{ key: 'f' }], ({ info }, { platform }) =>
    cursor.zoomToSelection(platform.engine, info.trace),
  ),
  showAll: onTrace(
    'window',
    [{ key: '0', control: true }],
    ({ info }) => cursor.showAll(info.trace),
    hasAxis,
  ),
  axis: onTrace(
    'window',
    [{ key: 'x' }],
    ({ info }, { platform }) => cursor.toggleAxis(platform.engine, info.trace),
    isTimed,
  ),

  table: {
    group: 'panels',
    keys: [{ key: 't' }],
    isAvailable: isPicture,
    run: ({ trace }) => {
      if (trace !== null) useStore.getState().update(trace.info.trace, { isTableOpen: !trace.isTableOpen });
    },
  },
  difference: onTrace(
    'panels',
    [{ key: 'd', shift: true }],
    () => useFrame.getState().openDialog('difference'),
    ({ info }) => info.devices.length > 0,
  ),
  inspector: { group: 'panels', keys: [{ key: 'i' }], isAvailable: hasInspector, run: toggleInspector },
  back: { group: 'panels', keys: [{ key: 'Escape' }], run: stepBack },
  settings: {
    group: 'panels',
    keys: [{ key: ',', control: true }],
    run: () => useStore.getState().openSettings(),
  },
  help: { group: 'panels', keys: [{ key: '?' }], run: () => useFrame.getState().openDialog('help') },
} as const satisfies Record<string, CommandShape>;

export type CommandId = keyof typeof commands;
export type Command = CommandShape;

export const commandIds = Object.keys(commands) as readonly CommandId[];

export function commandOf(id: CommandId): Command {
  return commands[id];
}

export function keysOf(id: CommandId, kind: Platform['kind']): readonly Keys[] {
  const command = commandOf(id);
  return kind === 'browser' ? (command.browserKeys ?? command.keys) : command.keys;
}

export function runCommand(id: CommandId, context: CommandContext): boolean {
  const command = commandOf(id);
  if (command.isAvailable?.(context) === false) return false;
  command.run(context);
  return true;
}
