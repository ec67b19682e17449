import { prepare, stepNames } from './prepare.mjs';
import { Problem } from './problem.mjs';
import { Progress } from './progress.mjs';

/** `npm run build -- [packages] [addon] [pages] [host] [shell]`: the set-up, or the named steps of it. */
export default async function build(names) {
  const unknown = names.find((name) => !stepNames.includes(name));
  if (unknown !== undefined)
    throw new Problem(`There is no step "${unknown}", only ${stepNames.join(', ')}.`);
  await prepare(new Progress(process.stdout), names.length > 0 ? names : stepNames);
}
