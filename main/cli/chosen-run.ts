import { statSync } from 'node:fs';
import type { Engine, Source } from '../../app/contract/engine.ts';
import { formatBytes, formatCount, plainSpaces } from '../../app/domain/format.ts';
import { bestFile, hostsOf, type ProfileRun } from '../../app/domain/profile-runs.ts';
import { visibleText } from '../../app/domain/visible-text.ts';
import { engineError } from '../engine/index.ts';
import { alignTable, type Cell, right } from './table.ts';
import type { Terminal } from './terminal.ts';

/** Options of commands that take a log directory. */
export interface RunChoice {
  readonly run?: string;
  readonly host?: string;
}

/** What is opened, or what is still open: which run. */
export type Chosen =
  | { readonly kind: 'source'; readonly source: Source }
  | { readonly kind: 'open'; readonly folder: string; readonly runs: readonly ProfileRun[] };

/**
 * What a name on the command line means: a file is itself; of a log directory the run that is named, or the only one,
 * with all of its hosts as one trace or the host that is named. Errors: "no-such-run", "no-such-host",
 * "run-without-folder", those of `profileRuns`.
 */
export async function chosenSource(engine: Engine, path: string, choice: RunChoice): Promise<Chosen> {
  if (!isFolder(path)) {
    if (choice.run === undefined && choice.host === undefined) return file(path);
    throw engineError(
      'run-without-folder',
      `${path} is no log directory, so it has no runs.`,
      'Leave out --run and --host, or name the directory.',
    );
  }
  const { folder, runs } = await engine.call('profileRuns', { path });
  if (runs.length === 0) return file(path); // opening it says what is wrong
  const run = choice.run === undefined ? onlyOne(runs) : namedRun(runs, choice.run);
  if (run === undefined) return { kind: 'open', folder, runs };
  const hosts = hostsOf(run).filter((host) => host === (choice.host ?? host));
  if (hosts.length === 0) {
    throw engineError(
      'no-such-host',
      `The run ${run.name} has no host "${choice.host}".`,
      `It has: ${hostsOf(run).join(', ')}.`,
    );
  }
  const sources = hosts.flatMap((host) => bestFile(run, host) ?? []).map(({ path: one }) => pathOf(one));
  return { kind: 'source', source: together(sources) };
}

const pathOf = (path: string) => ({ kind: 'path', path }) as const;
const file = (path: string): Chosen => ({ kind: 'source', source: pathOf(path) });

/** Several sources as one trace. */
export function together(sources: readonly Source[]): Source {
  const [only, ...others] = sources;
  if (only !== undefined && others.length === 0) return only;
  return { kind: 'set', files: sources.flatMap((one) => (one.kind === 'set' ? one.files : [one])) };
}

/** Of a command that cannot ask: lists what there is to name. Errors: "run-not-named". */
export function requireChosen(chosen: Chosen, path: string, terminal: Terminal): Source {
  if (chosen.kind === 'source') return chosen.source;
  const { runs } = chosen;
  terminal.writeError(`${alignTable(runRows(runs), '  ').map(visibleText).join('\n')}\n`);
  throw engineError(
    'run-not-named',
    `${path} holds ${formatCount(runs.length)} runs, listed above, newest first.`,
    `Name one: --run ${runs[0]?.name}`,
  );
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

const onlyOne = <T>(values: readonly T[]): T | undefined => (values.length === 1 ? values[0] : undefined);

/** By its whole name, or by its last part where that is one run's alone. */
function namedRun(runs: readonly ProfileRun[], name: string): ProfileRun {
  const found =
    runs.find((run) => run.name === name) ?? onlyOne(runs.filter((run) => run.name.endsWith(`/${name}`)));
  if (found !== undefined) return found;
  throw engineError(
    'no-such-run',
    `There is no run "${name}" in this log directory.`,
    `It holds: ${runs.map((run) => run.name).join(', ')}.`,
  );
}

function runRows(runs: readonly ProfileRun[]): Cell[][] {
  return [
    ['run', 'recorded', 'hosts', right('size'), 'format'],
    ...runs.map((run): Cell[] => [
      run.name,
      run.timeMs === null ? '' : localTime(run.timeMs),
      hostsOf(run).join(', '),
      right(plainSpaces(formatBytes(run.bytes))),
      [...new Set(run.files.map(({ format }) => format))].join(', '),
    ]),
  ];
}

/** "2026-11-30 19:23", in the time of this machine. */
function localTime(timeMs: number): string {
  const time = new Date(timeMs);
  const two = (value: number) => String(value).padStart(2, '0');
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
