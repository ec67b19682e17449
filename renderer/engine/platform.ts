import { createContext, useContext } from 'react';
import type { Engine, Source } from '../../app/contract/engine.ts';
import type { Locale } from '../../app/domain/format.ts';
import type { ProfileFile, ProfileRun } from '../../app/domain/profile-runs.ts';

/** A file the user chose, and how the engine gets at it. */
export interface ChosenFile {
  readonly name: string;
  /** Null when only its path is known. */
  readonly bytes: number | null;
  /** Hands the file over where that is needed. Rejects with an EngineError. */
  source(signal: AbortSignal, onSent: (bytes: number) => void): Promise<Source>;
}

/** Runs in a folder that only the page can read. */
export interface OfferedFolder {
  readonly folder: string;
  readonly runs: readonly ProfileRun[];
  readonly isWhole: boolean;
  file(file: ProfileFile): ChosenFile;
}

export interface PlatformEvents {
  /** Every trace is closed: the engine stopped and another one runs. */
  readonly onEngineRestarted: () => void;
  readonly onConnection: (isConnected: boolean) => void;
  /** The system or the menu asks to open files. */
  readonly onOpenRequest: (files: readonly ChosenFile[]) => void;
}

/** Where the page runs: in the desktop shell, or in a browser in front of a server. */
export interface Platform {
  readonly kind: 'desktop' | 'browser';
  readonly engine: Engine;
  /** As `process.platform` says it, or a guess from the browser. */
  readonly isMac: boolean;
  pickFiles(): Promise<readonly ChosenFile[]>;
  fromDrop(file: File): ChosenFile;
  /** The profiles in a dropped folder; null where `fromDrop` takes folders as they are. */
  readonly fromDroppedFolder: ((folder: FileSystemDirectoryEntry) => Promise<OfferedFolder>) | null;
  setLanguage(language: Locale): void;
  /** Tries to reach the engine now. */
  reconnect(): void;
  start(events: PlatformEvents): void;
}

const PlatformContext = createContext<Platform | null>(null);

export const PlatformProvider = PlatformContext.Provider;

export function usePlatform(): Platform {
  const platform = useContext(PlatformContext);
  if (platform === null) throw new Error('usePlatform outside PlatformProvider');
  return platform;
}
