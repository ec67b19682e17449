/** The scheme and host of our own page; no other origin is ever loaded or listened to. */
export const SCHEME = 'app';
export const ORIGIN = `${SCHEME}://strata`;
export const PAGE_URL = `${ORIGIN}/index.html`;

/** True for the page itself, with any query or fragment. */
export function isOwnPage(url: string): boolean {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  return parsed !== null && `${parsed.protocol}//${parsed.host}${parsed.pathname}` === PAGE_URL;
}
