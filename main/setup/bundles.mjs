import { existsSync } from 'node:fs';
import { at, built } from './paths.mjs';
import { Problem } from './problem.mjs';
import { run } from './program.mjs';

const shared = ['app', 'package-lock.json', 'tsconfig.json'];

/** The pages, as the shell and the server send them. */
export const pagesTarget = {
  name: 'pages',
  inputs: [...shared, 'renderer'],
  only: /\.(ts|tsx|json|css|html|svg)$/,
  outputs: [built.page],
};

/** Everything that runs on the desktop side: one self-contained file for each process. */
export const programsTarget = {
  name: 'programs',
  inputs: [...shared, 'main'],
  only: /\.(ts|json)$/,
  outputs: [built.host, built.shell, at('dist', 'shell', 'preload.cjs'), at('dist', 'engine', 'utility.cjs')],
};

/** Modes of main/vite.config.ts. */
const programs = ['shell', 'preload', 'utility', 'host'];

export const buildPages = () => vite('renderer/vite.config.ts', 'production');

export const buildPrograms = () => Promise.all(programs.map((mode) => vite('main/vite.config.ts', mode)));

async function vite(config, mode) {
  const program = at('node_modules', 'vite', 'bin', 'vite.js');
  const args = [program, 'build', '--config', config, '--mode', mode, '--logLevel', 'warn'];
  const { code, output } = await run(process.execPath, args);
  if (code !== 0) throw new Problem(`Vite could not build "${mode}" from ${config}:`, output);
}
