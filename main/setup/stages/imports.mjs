import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { at } from '../paths.mjs';
import { filesBelow } from '../stamp.mjs';

/**
 * Which parts a part may import, the longest matching folder deciding. `packages` says what else: `node` stands for
 * every node: module, `*` for every package but electron.
 */
const typescript = [
  { part: 'app', parts: ['app'], packages: ['valibot'] },
  { part: 'renderer', parts: ['app', 'renderer'], packages: ['*'] },
  { part: 'main/engine', parts: ['app', 'main/engine'], packages: ['*', 'node'] },
  { part: 'main/serve', parts: ['app', 'main/engine', 'main/serve'], packages: ['*', 'node'] },
  { part: 'main/cli', parts: ['app', 'main/engine', 'main/cli', 'package.json'], packages: ['*', 'node'] },
  { part: 'main/shell', parts: ['app', 'main/engine', 'main/shell'], packages: ['*', 'node', 'electron'] },
  { part: 'main/setup', parts: ['main/setup'], packages: ['node'] },
  { part: 'main', parts: ['app', 'main/engine', 'main/serve', 'main/cli'], packages: ['*', 'node'] },
];

const native = [
  { part: 'native/trace', parts: ['trace'] },
  // `device` stands alone, but the format of its recordings is read where all formats are.
  { part: 'native/capture', parts: ['trace', 'capture', 'device'] },
  { part: 'native/allocator', parts: ['trace', 'allocator'] },
  { part: 'native/analysis', parts: ['trace', 'analysis'] },
  { part: 'native/device', parts: ['device'] },
  { part: 'native/binding', parts: ['trace', 'capture', 'allocator', 'analysis', 'device', 'binding'] },
];

/** @returns {string[]} one sentence for each import that points the wrong way */
export function wrongImports() {
  return ['app', 'main', 'renderer', 'native']
    .flatMap(filesBelow)
    .filter((path) => /\.(ts|tsx|mjs|cc|h)$/.test(path))
    .flatMap((path) => wrongImportsIn(path, readFileSync(at(path), 'utf8')));
}

/**
 * @param {string} path below the repository
 * @param {string} text what the file says
 * @returns {string[]}
 */
export function wrongImportsIn(path, text) {
  // Build settings say where things lie; they belong to no part.
  if (path.endsWith('vite.config.ts')) return [];
  return path.startsWith('native/') ? wrongInSource(path, text) : wrongInScript(path, text);
}

function wrongInScript(path, text) {
  const rule = ruleFor(typescript, path);
  if (rule === undefined) return [];
  return matches(text, /(?:from|import)\s*\(?\s*'([^']+)'/g)
    .filter((target) => !mayImport(rule, path, target))
    .map((target) => `${path} imports ${target}, which ${rule.part} must not`);
}

function mayImport(rule, path, target) {
  if (target.startsWith('.')) {
    const resolved = posix.join(posix.dirname(path), target);
    return rule.parts.some((part) => resolved === part || resolved.startsWith(`${part}/`));
  }
  if (target.startsWith('node:')) return rule.packages.includes('node');
  if (target === 'electron') return rule.packages.includes('electron');
  return rule.packages.includes('*') || rule.packages.includes(target);
}

function wrongInSource(path, text) {
  const rule = ruleFor(native, path);
  if (rule === undefined) return [];
  const own = matches(text, /#include "([^"]+)"/g)
    .filter((header) => header.includes('/') && !rule.parts.includes(header.split('/')[0]))
    .map((header) => `${path} includes ${header}, which ${rule.part} must not`);
  const node = matches(text, /#include [<"]((?:napi|node|uv|v8)[\w-]*\.h)[>"]/g)
    .filter(() => rule.part !== 'native/binding')
    .map((header) => `${path} includes ${header}, which only native/binding may`);
  return [...own, ...node];
}

const ruleFor = (rules, path) =>
  rules.filter((rule) => path.startsWith(`${rule.part}/`)).sort((a, b) => b.part.length - a.part.length)[0];

const matches = (text, pattern) => [...text.matchAll(pattern)].map((match) => match[1]);
