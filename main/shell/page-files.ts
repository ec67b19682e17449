import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CONTENT_SECURITY_HEADER } from '../../app/domain/content-policy.ts';
import { ORIGIN } from './origin.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Cross-origin isolation as in the server, so that the page finds the same abilities in both. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_HEADER,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/**
 * Answers requests to app://strata/ with the built page's files and nothing else: a name that leads out of the
 * folder, has no known type or belongs to another host is refused.
 */
export function createPageFiles(folder: string): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405);
    const file = fileFor(folder, request.url);
    const type = file === null ? undefined : TYPES[path.extname(file)];
    if (file === null || type === undefined) return refuse(404);
    try {
      const contents = await readFile(file);
      return new Response(request.method === 'HEAD' ? null : new Uint8Array(contents), {
        headers: { ...HEADERS, 'content-type': type },
      });
    } catch {
      return refuse(404);
    }
  };
}

function fileFor(folder: string, url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, host, pathname } = new URL(url);
  if (`${protocol}//${host}` !== ORIGIN) return null;
  const name = decoded(pathname);
  // A backslash separates folders on Windows, a zero byte ends a name in C.
  if (name === null || /[\\\0]/.test(name)) return null;
  const file = path.join(folder, name === '/' ? 'index.html' : name);
  return file.startsWith(folder + path.sep) ? file : null;
}

function decoded(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return null;
  }
}

const refuse = (status: number) => new Response(null, { status, headers: HEADERS });
