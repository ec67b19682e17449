import { at, built } from './paths.mjs';
import { Problem } from './problem.mjs';
import { run } from './program.mjs';

const shared = ['app', 'package.json', 'package-lock.json', 'tsconfig.json'];
const program = { inputs: [...shared, 'main'], only: /\.(ts|json)$/ };

/** The pages, as the shell and the server send them. */
export const pagesTarget = {
  name: 'pages',
  inputs: [...shared, 'renderer'],
  only: /\.(ts|tsx|json|css|html|svg)$/,
  outputs: [built.page],
};

/** The command line and the server in one file. */
export const hostTarget = { name: 'host', ...program, outputs: [built.host] };

/** The desktop shell: main process, preload and the engine's process, a file each. */
export const shellTarget = {
  name: 'shell',
  ...program,
  outputs: [built.shell, at('dist', 'shell', 'preload.cjs'), at('dist', 'engine', 'utility.cjs')],
};

export const buildPages = () => vite('renderer/vite.config.ts', 'production');

export const buildHost = () => vite('main/vite.config.ts', 'host');

export const buildShell = () =>
  Promise.all(['shell', 'preload', 'utility'].map((mode) => vite('main/vite.config.ts', mode)));

async function vite(config, mode) {
  const path = at('node_modules', 'vite', 'bin', 'vite.js');
  const args = [path, 'build', '--config', config, '--mode', mode, '--logLevel', 'warn'];
  const { code, output } = await run(process.execPath, args);
  if (code !== 0) throw new Problem(`Vite could not build "${mode}" from ${config}:`, withoutStack(output));
}

const withoutStack = (output) =>
  output
    .split('\n')
    .filter((line) => !/^\s+at /.test(line))
    .join('\n');
