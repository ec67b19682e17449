import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SampleInfo } from '../../app/contract/engine.ts';
import { engineError } from './errors.ts';
import { findShipped } from './locations.ts';

const ENDING = '.pickle.gz';

/** The captures that ship with the application, as app/samples/make_samples.py wrote them. */
export function listSamples(): readonly SampleInfo[] {
  const folder = samplesFolder();
  if (folder === null) return [];
  const names = readdirSync(folder).filter((file) => file.endsWith(ENDING));
  return names.map((file) => ({ name: file.slice(0, -ENDING.length) })).sort(byName);
}

/** Errors: "no-such-sample". */
export function samplePath(name: string): string {
  const folder = samplesFolder();
  const path = folder === null ? null : join(folder, name + ENDING);
  if (path === null || !existsSync(path)) {
    const names = listSamples().map((sample) => sample.name);
    const remedy = names.length > 0 ? `There are: ${names.join(', ')}.` : 'Reinstall the application.';
    throw engineError('no-such-sample', `There is no sample capture named "${name}".`, remedy);
  }
  return path;
}

function samplesFolder(): string | null {
  return findShipped({
    variable: 'STRATA_SAMPLES',
    inResources: 'samples',
    inRepository: join('app', 'samples'),
  });
}

function byName(one: SampleInfo, other: SampleInfo): number {
  return one.name < other.name ? -1 : 1;
}
