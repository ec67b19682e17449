import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { root } from './paths.mjs';

/**
 * Runs a program without standard input and gathers what it prints.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, input?: string, signal?: AbortSignal }} [options]
 * @returns {Promise<{ code: number, output: string }>} code 127 when it cannot be started, 128 when a signal ended it
 */
export function run(program, args, { cwd = root, env = process.env, input, signal } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env,
      signal,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    let output = '';
    const gather = (chunk) => {
      output += chunk;
    };
    child.stdout.setEncoding('utf8').on('data', gather);
    child.stderr.setEncoding('utf8').on('data', gather);
    child.on('error', (error) => resolve({ code: 127, output: `${output}${error.message}\n` }));
    child.on('close', (code, signal) => {
      if (signal !== null) output += `${program} was ended by ${signal}\n`;
      resolve({ code: code ?? 128, output });
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/**
 * The first of the named programs on the search path, as a full path, or null; a full path is taken as it is.
 *
 * @param {readonly string[]} names
 */
export function find(names) {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
  for (const name of names) {
    if (isAbsolute(name) && isProgram(name)) return name;
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      for (const ending of endings) {
        const path = join(folder, name + ending);
        if (isProgram(path)) return path;
      }
    }
  }
  return null;
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Does `work` on every item, at most `width` at a time; rejects with the first failure.
 *
 * @template Item
 * @param {readonly Item[]} items
 * @param {number} width
 * @param {(item: Item) => Promise<void>} work
 */
export async function inParallel(items, width, work) {
  const waiting = [...items];
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: width }, lane));
}
