import type { SiteInfo } from '../../app/contract/engine.ts';
import type { Words } from './use-words.ts';

/** The name of a call site by its rank, in the language of the page where it is not code. */
export function siteName(words: Words, sites: readonly SiteInfo[], rank: number): string {
  const site = sites[Math.min(rank, sites.length - 1)];
  if (site === undefined || site.kind === 'other') return words.site('other');
  if (site.kind === 'before') return words.site('before');
  if (site.kind === 'unknown') return words.site('unknown');
  return site.name === 'autograd engine' ? words.site('autograd') : site.name;
}
