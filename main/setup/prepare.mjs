import { addonSources, addonTarget, buildAddon } from './addon.mjs';
import { buildHost, buildPages, buildShell, hostTarget, pagesTarget, shellTarget } from './bundles.mjs';
import { installPackages, isInstallStale } from './install.mjs';
import { alone } from './lock.mjs';
import { isStale, stamped } from './stamp.mjs';

/** The set-up, in order: each step is skipped while its result is up to date. */
const steps = [
  {
    name: 'packages',
    say: () => 'Installing the packages of package-lock.json',
    isStale: isInstallStale,
    work: installPackages,
  },
  {
    name: 'addon',
    say: () => `Building the addon from ${addonSources().length} C++ files`,
    isStale: () => isStale(addonTarget),
    work: () => stamped(addonTarget, buildAddon),
  },
  {
    name: 'pages',
    say: () => 'Building the pages',
    isStale: () => isStale(pagesTarget),
    work: () => stamped(pagesTarget, buildPages),
  },
  {
    name: 'host',
    say: () => 'Building the engine, the command line and the server',
    isStale: () => isStale(hostTarget),
    work: () => stamped(hostTarget, buildHost),
  },
  {
    name: 'shell',
    say: () => 'Building the desktop shell',
    isStale: () => isStale(shellTarget),
    work: () => stamped(shellTarget, buildShell),
  },
];

export const stepNames = steps.map((step) => step.name);

/**
 * Brings packages, addon and bundles up to date; silent and quick when they are.
 *
 * @param {import('./progress.mjs').Progress} progress
 * @param {readonly string[]} [names] only these steps, to work on one part while another is broken
 */
export async function prepare(progress, names = stepNames) {
  const wanted = steps.filter((step) => names.includes(step.name));
  if (!wanted.some((step) => step.isStale())) return;
  await alone(
    async () => {
      for (const step of wanted) {
        if (step.isStale()) await progress.step(step.say(), step.work);
      }
    },
    (owner) => progress.say(`Waiting for the set-up that process ${owner} runs in this folder …`),
  );
}
