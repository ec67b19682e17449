import { extname, join, sep } from 'node:path';
import { CONTENT_SECURITY_HEADER } from '../../app/domain/content-policy.ts';

/** What the desktop shell and the server have in common when they hand out the built pages. */

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Sent with every answer; isolation keeps other sites away from the page and its memory. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_HEADER,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

export interface PageFile {
  readonly path: string;
  readonly type: string;
}

/** The file that a path names; null for one that leads out of the folder, cannot be a name or is of no known type. */
export function pageFile(folder: string, pathname: string): PageFile | null {
  const name = decoded(pathname);
  // A backslash separates folders on Windows, a zero byte ends a name in C.
  if (name === null || /[\\\0]/.test(name)) return null;
  const path = join(folder, name === '/' ? 'index.html' : name);
  const type = TYPES[extname(path)];
  return path.startsWith(folder + sep) && type !== undefined ? { path, type } : null;
}

function decoded(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return null;
  }
}
