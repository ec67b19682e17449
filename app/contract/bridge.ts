import type { MethodName, ProgressInfo, Results } from './engine.ts';
import type { EngineErrorData } from './error.ts';

/** What a call came to; errors travel as data, because Electron rewrites those that are thrown. */
export type CallOutcome<M extends MethodName = MethodName> =
  | { readonly ok: true; readonly result: Results[M] }
  | { readonly ok: false; readonly error: EngineErrorData };

/** Stops a listener. */
export type Unsubscribe = () => void;

/**
 * All that the desktop shell gives to the page, as `window.strata`; in a browser there is none. The preload exposes
 * it, main checks everything that comes through it.
 */
export interface ShellBridge {
  /** As `process.platform` says it: "linux", "darwin", "win32". */
  readonly platform: string;
  /** `id` names the call for `cancel` and `onProgress`; the page counts it up and never reuses one. */
  call(method: MethodName, args: unknown, id: number): Promise<CallOutcome>;
  cancel(id: number): void;
  onProgress(listener: (id: number, progress: ProgressInfo) => void): Unsubscribe;
  /** The engine stopped and a new one runs: every trace is closed, calls under way end with "engine-restarted". */
  onEngineRestarted(listener: () => void): Unsubscribe;
  /** Where a file that was dropped on the page lies; "" for one that lies nowhere. */
  pathForFile(file: File): string;
  /** The open dialog; empty when it was dismissed. */
  pickFiles(): Promise<readonly string[]>;
  /** Captures that the system, the menu or a second start asks to open. */
  onOpenRequest(listener: (paths: readonly string[]) => void): Unsubscribe;
  /** The language of the page, so that the menu and the dialogs speak it too. */
  setLanguage(language: MenuLanguage): void;
}

export const MENU_LANGUAGES = ['en', 'zh-CN'] as const;
export type MenuLanguage = (typeof MENU_LANGUAGES)[number];

/** The code of the error that ends calls under way when the engine's process stops. */
export const ENGINE_RESTARTED = 'engine-restarted';

declare global {
  interface Window {
    readonly strata?: ShellBridge;
  }
}
