import { useCallback, useLayoutEffect } from 'react';
import { usePlatform } from '../engine/platform.ts';
import { useFrame } from '../state/frame.ts';
import { useStore } from '../state/store.ts';
import { type CommandContext, type CommandId, commandIds, keysOf, runCommand } from './commands.ts';
import { matches, writeKeys } from './keys.ts';

/** The trace on screen at this moment. */
function contextOf(platform: CommandContext['platform']): CommandContext {
  const { traces, active, isSettingsOpen, tool } = useStore.getState();
  const trace = isSettingsOpen || tool !== null ? undefined : traces.find((one) => one.info.trace === active);
  return { platform, trace: trace ?? null };
}

export function useRunCommand(): (id: CommandId) => void {
  const platform = usePlatform();
  return useCallback((id) => void runCommand(id, contextOf(platform)), [platform]);
}

/** How the first key of a command is written here: "Ctrl O". */
export function useKeyName(id: CommandId): string {
  const { kind, isMac } = usePlatform();
  const keys = keysOf(id, kind)[0];
  return keys === undefined ? '' : writeKeys(keys, isMac);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** Controls that move by arrow keys themselves. */
function movesByArrows(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('[role=slider],[role=separator],[role=radiogroup],[role=menu],[role=listbox]') !== null
  );
}

/**
 * One listener for every key, there before the first paint, because whoever sees the page may press one. A view
 * that handles a key itself prevents its default, and it ends there.
 */
export function useKeyboard(): void {
  const platform = usePlatform();
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      if (useFrame.getState().dialog !== null) return;
      const isSingle = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (isSingle && isTyping(event.target)) return;
      if (/^(Arrow|Home|End)/.test(event.key) && movesByArrows(event.target)) return;
      for (const id of commandIds) {
        if (!keysOf(id, platform.kind).some((keys) => matches(keys, event, platform.isMac))) continue;
        if (runCommand(id, contextOf(platform))) event.preventDefault();
        return;
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [platform]);
}
