import type { Bytes } from './units.ts';

/**
 * The runs in a log directory of TensorBoard, JAX or XProf: `plugins/profile/<run>/<host>.xplane.pb`, one file a host.
 * Told by names alone, because a directory may hold thousands; what is chosen is recognised by content.
 */

/** A file in a folder; `path` is relative to it, with "/". */
export interface FolderFile {
  readonly path: string;
  readonly bytes: Bytes;
  /** Milliseconds since the Unix epoch; null where it is not known. */
  readonly modifiedMs: number | null;
}

export const PROFILE_FORMATS = ['xplane', 'xspace', 'memory-profile'] as const;
export type ProfileFormat = (typeof PROFILE_FORMATS)[number];

export interface ProfileFile {
  readonly path: string;
  readonly host: string;
  readonly format: ProfileFormat;
  readonly bytes: Bytes;
}

export interface ProfileRun {
  /** The run's folder below the log directory, without `plugins/profile`: "2026_11_30_10_00_00", "train/…". */
  readonly name: string;
  /** When it was recorded: as its name says in the time of this machine, else when its files were written. */
  readonly timeMs: number | null;
  readonly bytes: Bytes;
  /** By host; of one host that which tells most first. */
  readonly files: readonly ProfileFile[];
}

/** In order of what they tell: an XPlane holds every event, what was computed from it only a part. */
const ENDINGS: readonly (readonly [ending: string, format: ProfileFormat])[] = [
  ['.xplane.pb', 'xplane'],
  ['.xplane.pb.gz', 'xplane'],
  ['.xspace.pb', 'xspace'],
  ['.xspace.pb.gz', 'xspace'],
  ['.memory_profile.json', 'memory-profile'],
  ['.memory_profile.json.gz', 'memory-profile'],
];

/** Newest first; empty when no file of a profile is among them. `folder` names a run that lies in the folder itself. */
export function profileRuns(files: readonly FolderFile[], folder: string): readonly ProfileRun[] {
  const byFolder = new Map<string, FolderFile[]>();
  for (const file of files) {
    if (profileFile(file) === null) continue;
    const place = file.path.slice(0, Math.max(0, file.path.lastIndexOf('/')));
    byFolder.set(place, [...(byFolder.get(place) ?? []), file]);
  }
  const runs = [...byFolder].map(([place, found]) => runOf(place, found, folder));
  return runs.sort(
    (one, other) => (other.timeMs ?? 0) - (one.timeMs ?? 0) || (one.name < other.name ? -1 : 1),
  );
}

/** The hosts of a run, in order. */
export function hostsOf({ files }: ProfileRun): readonly string[] {
  return [...new Set(files.map(({ host }) => host))];
}

/** What a host is opened by; undefined when the run has no such host. */
export function bestFile({ files }: ProfileRun, host: string): ProfileFile | undefined {
  return files.find((file) => file.host === host);
}

function runOf(place: string, found: readonly FolderFile[], folder: string): ProfileRun {
  const parts = place.split('/').filter((part) => part !== '');
  const shown = parts.filter((part, at) => !isPluginPart(parts, part, at));
  const files = found
    .flatMap((file) => profileFile(file) ?? [])
    .sort((one, other) => compare(one.host, other.host) || rankOf(one) - rankOf(other));
  const written = Math.max(...found.map(({ modifiedMs }) => modifiedMs ?? 0));
  return {
    name: shown.length === 0 ? folder : shown.join('/'),
    timeMs: timeOfName(parts.at(-1) ?? folder) ?? (written > 0 ? written : null),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    files,
  };
}

/** "plugins/profile" says where a run lies, not which one it is. */
function isPluginPart(parts: readonly string[], part: string, at: number): boolean {
  return (
    (part === 'plugins' && parts[at + 1] === 'profile') ||
    (part === 'profile' && (parts[at - 1] === 'plugins' || at === 0) && at + 1 < parts.length)
  );
}

function profileFile({ path, bytes }: FolderFile): ProfileFile | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const known = ENDINGS.find(([ending]) => name.endsWith(ending));
  if (known === undefined) return null;
  const [ending, format] = known;
  return { path, host: name.slice(0, -ending.length) || name, format, bytes };
}

const rankOf = ({ format }: ProfileFile) => PROFILE_FORMATS.indexOf(format);
const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** "2026_11_30_10_00_00", as the profilers name a run. */
function timeOfName(name: string): number | null {
  const match = /^(\d{4})_(\d{2})_(\d{2})_(\d{2})_(\d{2})_(\d{2})/.exec(name);
  if (match === null) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  return new Date(year, month - 1, day, hour, minute, second).getTime();
}
