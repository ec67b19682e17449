import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { hasGoogleTest } from '../debian.mjs';
import { at } from '../paths.mjs';
import { find, run } from '../program.mjs';
import { filesBelow } from '../stamp.mjs';

const width = String(availableParallelism());

/** C++ unit tests with AddressSanitizer and UndefinedBehaviorSanitizer, counted from ctest's own report. */
export const nativeTests = {
  name: 'native',
  whyNot: () => {
    if (find(['cmake']) === null) return 'cmake is not installed';
    return hasGoogleTest() ? null : 'GoogleTest is not installed';
  },
  run: async () => {
    const build = at('native', 'build', 'test');
    const failure = await cmake(build, ['-DSTRATA_TESTS=ON', '-DSTRATA_SANITIZE=ON'], 'strata_tests');
    if (failure !== null) return { passed: 0, failed: 1, skipped: 0, output: failure };
    const report = at('native', 'build', 'test', 'report.xml');
    const args = [
      '--test-dir',
      build,
      '-j',
      width,
      '--output-on-failure',
      '--no-tests=error',
      '--output-junit',
      report,
    ];
    const { code, output } = await run('ctest', args);
    return { ...ctestCounts(report, code), output };
  },
};

/** The counts in the first tag of ctest's JUnit file. */
function ctestCounts(report, code) {
  const tag = readFileSync(report, 'utf8').match(/<testsuite\b[^>]*>/)?.[0] ?? '';
  const count = (name) => Number(tag.match(new RegExp(`\\b${name}="(\\d+)"`))?.[1] ?? 0);
  const failed = Math.max(count('failures'), code === 0 ? 0 : 1);
  const skipped = count('skipped') + count('disabled');
  return { passed: count('tests') - count('failures') - skipped, failed, skipped };
}

/** Enough to walk every reader's refusals; longer runs are for a machine of their own. */
const fuzzRuns = 20_000;

/** A fixed number of fuzz iterations over every reader. */
export const fuzz = {
  name: 'fuzz',
  whyNot: async () => {
    if ((await findFuzzingClang()) === null) return 'there is no clang with libFuzzer';
    return find(['cmake']) === null ? 'cmake is not installed' : null;
  },
  run: async () => {
    const build = at('native', 'build', 'fuzz');
    const compiler = await findFuzzingClang();
    const failure = await cmake(build, [
      `-DCMAKE_CXX_COMPILER=${compiler}`,
      '-DSTRATA_FUZZ=ON',
      '-DSTRATA_SANITIZE=ON',
    ]);
    if (failure !== null) return { passed: 0, failed: 1, skipped: 0, output: failure };
    const seeds = await makeSeeds(build);
    if (seeds.failure !== null) return { passed: 0, failed: 1, skipped: 0, output: seeds.failure };
    const results = [];
    for (const name of fuzzers()) results.push(await runFuzzer(build, seeds.folder, name));
    const failed = results.filter((result) => result.code !== 0);
    return {
      passed: results.length - failed.length,
      failed: failed.length,
      skipped: 0,
      output: failed.map((result) => result.output).join('\n'),
    };
  },
};

const fuzzers = () =>
  filesBelow('test/fuzz')
    .filter((path) => path.endsWith('.cc'))
    .map((path) => basename(path, '.cc'));

/** The seeds and the dictionary that test/fuzz/make_corpus.py writes. */
async function makeSeeds(build) {
  const folder = `${build}/seeds`;
  const { code, output } = await run('python3', [at('test', 'fuzz', 'make_corpus.py'), folder]);
  return code === 0 ? { folder, failure: null } : { folder, failure: output };
}

/** What is found goes to a folder of its own, so that the next run begins with the same seeds. */
async function runFuzzer(build, seeds, name) {
  const found = `${build}/found/${name}`;
  rmSync(found, { recursive: true, force: true });
  mkdirSync(found, { recursive: true });
  const limits = ['-seed=1', '-max_len=65536', '-timeout=10', '-rss_limit_mb=1024', '-close_fd_mask=1'];
  const dictionary = `${seeds}/${name.replace('_fuzz', '')}.dict`;
  const words = existsSync(dictionary) ? [`-dict=${dictionary}`] : [];
  const options = [`-runs=${fuzzRuns}`, ...limits, ...words, `-artifact_prefix=${found}/`];
  return run(`${build}/${name}`, [...options, found, `${seeds}/corpus`]);
}

let fuzzingClang;

/** The first clang++ that links a fuzzer, or null. */
async function findFuzzingClang() {
  if (fuzzingClang !== undefined) return fuzzingClang;
  const compiler = find(['clang++-16', 'clang++']);
  const source =
    '#include <cstddef>\nextern "C" int LLVMFuzzerTestOneInput(const char*, size_t) { return 0; }\n';
  const probe = ['-fsanitize=fuzzer', '-x', 'c++', '-', '-o', '/dev/null'];
  const works = compiler !== null && (await run(compiler, probe, { input: source })).code === 0;
  fuzzingClang = works ? compiler : null;
  return fuzzingClang;
}

/**
 * Configures and builds; null, or what the failing step printed.
 *
 * @param {string} build
 * @param {readonly string[]} options
 * @param {string} [target]
 */
async function cmake(build, options, target = 'all') {
  const generator = find(['ninja']) === null ? [] : ['-G', 'Ninja'];
  const configure = await run('cmake', ['-S', at('native'), '-B', build, ...generator, ...options]);
  if (configure.code !== 0) return configure.output;
  const compile = await run('cmake', ['--build', build, '--parallel', width, '--target', target]);
  return compile.code === 0 ? null : compile.output;
}
