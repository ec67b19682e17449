import { existsSync, readFileSync } from 'node:fs';
import { at } from './paths.mjs';
import { Problem } from './problem.mjs';
import { run } from './program.mjs';

const lockFile = at('package-lock.json');
/** What npm itself leaves behind when an installation is complete. */
const installedFile = at('node_modules', '.package-lock.json');

/** True when a package of the lock is missing in node_modules or has another version there. */
export function isInstallStale() {
  if (!existsSync(installedFile)) return true;
  const wanted = JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages;
  return Object.entries(wanted).some(
    ([path, entry]) => path !== '' && entry.optional !== true && installed[path]?.version !== entry.version,
  );
}

/**
 * Installs exactly what the lock names. npm's warnings about newer Node versions, which only the packaging tools
 * ask for, are not shown.
 */
export async function installPackages() {
  const [program, ...first] = npm();
  const { code, output } = await run(program, [
    ...first,
    'ci',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]);
  if (code === 127) {
    throw new Problem(
      'npm is missing: install Node.js with npm from nodejs.org, then run the command again.',
    );
  }
  if (code !== 0) throw new Problem(whatToDo(output), output);
}

/** How to start npm: as the npm that runs this script, otherwise by name. */
function npm() {
  const running = process.env.npm_execpath ?? '';
  if (running.endsWith('npm-cli.js')) return [process.execPath, running];
  return process.platform === 'win32' ? ['cmd.exe', '/c', 'npm'] : ['npm'];
}

function whatToDo(output) {
  if (/ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|network/i.test(output)) {
    return 'The packages could not be fetched: check the network, the proxy and the registry in your npm settings, then run the command again.';
  }
  if (/ENOSPC/.test(output)) return 'The disk is full: the packages need about 500 MB.';
  if (/EACCES|EPERM/.test(output)) {
    return 'npm may not write to node_modules: check who owns this folder, then run the command again.';
  }
  return 'npm could not install the packages of package-lock.json; this is what it printed:';
}
