import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

/** The tests of the Python module, run by Python itself; each counts here. */

const folder = path.resolve(import.meta.dirname, '../../python');
const module = path.resolve(import.meta.dirname, '../../../app/python');
const python = ['python3', 'python'].find((name) => spawnSync(name, ['--version']).status === 0);
const isSkipped = python === undefined || process.platform === 'win32';
if (isSkipped) console.log('The Python module is not tested: it needs python3 and Unix sockets.');

const tests = readdirSync(folder)
  .filter((file) => /^test_.*\.py$/.test(file))
  .flatMap((file) => namesIn(file));

/** "test_client.ClientTest.test_says_hello…" */
function namesIn(file: string): string[] {
  const names: string[] = [];
  let group = '';
  for (const line of readFileSync(path.join(folder, file), 'utf8').split('\n')) {
    group = /^class (\w+)\(unittest\.TestCase\)/.exec(line)?.[1] ?? group;
    const [, name] = /^ {4}def (test_\w+)/.exec(line) ?? [];
    if (name !== undefined) names.push(`${file.replace(/\.py$/, '')}.${group}.${name}`);
  }
  return names;
}

const run = (args: readonly string[]) =>
  spawnSync(python as string, args, {
    cwd: folder,
    env: { ...process.env, PYTHONPATH: module, PYTHONDONTWRITEBYTECODE: '1' },
    encoding: 'utf8',
  });

describe.skipIf(isSkipped)('the Python module strata_live', () => {
  it.each(tests)('%s', (name) => {
    const { status, stderr } = run(['-m', 'unittest', name]);
    expect(stderr).toMatch(/OK\n$/);
    expect(status).toBe(0);
  });

  it('is written in the Python of 3.8', () => {
    const code = `import ast, pathlib
for path in pathlib.Path(${JSON.stringify(module)}).glob("strata_live/*.py"):
    ast.parse(path.read_text("utf8"), feature_version=(3, 8))`;
    expect(run(['-c', code])).toMatchObject({ status: 0, stderr: '' });
  });
});
