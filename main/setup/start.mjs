import { openInElectron } from './electron.mjs';
import { at } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { Progress } from './progress.mjs';
import { goWhereTyped, runHost } from './strata.mjs';

const sample = at('app', 'samples', 'training-step.pickle.gz');

/** What follows these is no file. */
const valued = ['--port', '--run', '--host'];

/**
 * `npm start -- [FILE|DIR] [--no-open] [--port N] [--run NAME] [--host NAME]`: the application on a capture or a log
 * directory, or on the sample that ships.
 */
export default async function start(args) {
  const progress = new Progress(process.stdout);
  await prepare(progress);
  goWhereTyped('start');
  const files = filesAmong(args);
  const reason = await whyBrowser(args, files.length > 0 ? files : [sample], progress);
  if (reason === null) return;
  progress.say(`${reason} The same pages are served to a browser instead.`);
  await runHost(['serve', ...args]);
}

/** Opens the window and returns null, or says why a browser has to do. */
async function whyBrowser(args, files, progress) {
  const option = ['--no-open', ...valued].find((name) => args.some((arg) => arg.split('=')[0] === name));
  if (option !== undefined) return `No window is opened, because of ${option}.`;
  return openInElectron(files, progress);
}

function filesAmong(args) {
  return args.filter((arg, index) => !arg.startsWith('-') && !valued.includes(args[index - 1]));
}
