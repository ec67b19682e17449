import { pathToFileURL } from 'node:url';
import { at } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { Progress } from './progress.mjs';

/** `npm run bench -- [--sizes 100000,1000000] [--no-page] [--json FILE]` */
export default async function bench(args) {
  await prepare(new Progress(process.stderr));
  const script = at('test', 'bench', 'run.mjs');
  process.argv = [process.argv[0] ?? process.execPath, script, ...args];
  await import(pathToFileURL(script).href);
}
