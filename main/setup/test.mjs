import { installTestTools } from './debian.mjs';
import { prepare } from './prepare.mjs';
import { Problem } from './problem.mjs';
import { Progress, seconds } from './progress.mjs';
import { biome, clangFormat, imports, symbols, types } from './stages/lint.mjs';
import { fuzz, nativeTests } from './stages/native.mjs';
import { endToEnd, golden, shell, unit } from './stages/vitest.mjs';

/**
 * A part of the tests. `whyNot` says what is missing for it, `run` gives its counts and what to print if it fails.
 *
 * @typedef {{ passed: number, failed: number, skipped: number, output: string }} Counts
 * @typedef {{ name: string, whyNot?: () => string | null | Promise<string | null>, run: () => Promise<Counts> }} Stage
 * @type {readonly Stage[]}
 */
const stages = [
  biome,
  clangFormat,
  types,
  imports,
  symbols,
  nativeTests,
  unit,
  golden,
  fuzz,
  endToEnd,
  shell,
];

/** `npm test -- [STAGE …]`: all stages, or the named ones; the last line is "N passed, N failed". */
export default async function test(names) {
  const unknown = names.find((name) => !stages.some((stage) => stage.name === name));
  if (unknown !== undefined) {
    throw new Problem(
      `There is no stage "${unknown}", only ${stages.map((stage) => stage.name).join(', ')}.`,
    );
  }
  const progress = new Progress(process.stdout);
  await prepare(progress);
  await installTestTools(progress);
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const stage of stages) {
    if (names.length > 0 && !names.includes(stage.name)) continue;
    const counts = await runStage(stage);
    for (const key of Object.keys(total)) total[key] += counts[key];
  }
  console.log(summary(total));
  process.exitCode = total.failed > 0 ? 1 : 0;
}

async function runStage(stage) {
  const label = stage.name.padEnd(13);
  const reason = (await stage.whyNot?.()) ?? null;
  if (reason !== null) {
    console.log(`${label} skipped: ${reason}`);
    return { passed: 0, failed: 0, skipped: 1 };
  }
  const start = performance.now();
  const counts = await stage.run();
  console.log(`${label} ${seconds(start).padStart(7)}  ${summary(counts)}`);
  if (counts.failed > 0) console.log(counts.output.trimEnd());
  return counts;
}

const summary = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
