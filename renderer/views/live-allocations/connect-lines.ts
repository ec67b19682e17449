import type { AllocationsEndpoint } from '../../../app/contract/allocations.ts';

/** The ways of connecting a program that are shown, each as lines to copy. */
export const WAYS = ['pytorch', 'client', 'dumps', 'demo'] as const;
export type Way = (typeof WAYS)[number];

export function connectLines(way: Way, { address, isUsual, pythonFolder }: AllocationsEndpoint): string {
  const folder = pythonFolder ?? '.';
  const python = [`import sys`, `sys.path.insert(0, ${quoted(folder)})`];
  const named = isUsual ? '' : `address=${quoted(address)}`;
  const shell = `PYTHONPATH=${folder.includes(' ') ? quoted(folder) : folder} python3 -m strata_live`;
  const option = isUsual ? '' : ` --address ${address}`;
  switch (way) {
    case 'pytorch':
      return [...python, 'import strata_live', `strata_live.watch_pytorch(${named})`].join('\n');
    case 'client':
      return [
        ...python,
        'from strata_live import Client',
        `strata = Client("my pool"${named === '' ? '' : `, ${named}`})`,
        'strata.alloc(address, size, stack="forward (model.py:12)")',
        'strata.free(address)',
      ].join('\n');
    case 'dumps':
      return `${shell}${option} FOLDER`;
    case 'demo':
      return `${shell}${option} --demo 60`;
  }
}

function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}
