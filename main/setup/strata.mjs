import { pathToFileURL } from 'node:url';
import { built } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { Progress } from './progress.mjs';

/** `npm run --silent strata -- …`: the command line; standard output belongs to it alone. */
export default async function strata(args) {
  await prepare(new Progress(process.stderr));
  await runHost(args);
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
