import { pathToFileURL } from 'node:url';
import { built } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { Progress } from './progress.mjs';

/** `npm run --silent strata -- …`: the command line; standard output belongs to it alone. */
export default async function strata(args) {
  await prepare(new Progress(process.stderr));
  goWhereTyped('strata');
  await runHost(args);
}

/**
 * npm runs scripts in the repository; relative file names mean the folder in which the user typed the command.
 *
 * @param {string} command the npm script, so that a script which another one runs stays where it was put
 */
export function goWhereTyped(command) {
  const folder = process.env.INIT_CWD;
  if (folder && process.env.npm_lifecycle_event === command) process.chdir(folder);
}

/**
 * Becomes the built command line, in this process, so that signals and the exit code are its own.
 *
 * @param {readonly string[]} args
 */
export async function runHost(args) {
  process.argv = [process.argv[0] ?? process.execPath, built.host, ...args];
  await import(pathToFileURL(built.host).href);
}
