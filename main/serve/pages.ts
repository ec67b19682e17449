import { createReadStream, existsSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';
import { CONTENT_SECURITY_HEADER } from '../../app/domain/content-policy.ts';
import { engineError, findShipped } from '../engine/index.ts';

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
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_HEADER,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** The folder of the built pages. Errors: "pages-missing". */
export function findPages(): string {
  const folder = findShipped({
    variable: 'STRATA_PAGES',
    inResources: 'app.asar/dist/renderer',
    inRepository: join('dist', 'renderer'),
  });
  if (folder === null || !existsSync(join(folder, 'index.html'))) {
    throw engineError(
      'pages-missing',
      'The pages of Strata are not built.',
      'Run "npm start" once in the repository: it builds what is missing.',
    );
  }
  return folder;
}

/** Answers with a file of the folder, or 404 for whatever else was asked for. */
export function sendPage(folder: string, pathname: string, isHead: boolean, response: ServerResponse): void {
  const file = fileFor(folder, pathname);
  const type = file === null ? undefined : TYPES[extname(file)];
  const stats = file === null ? undefined : statSync(file, { throwIfNoEntry: false });
  if (file === null || type === undefined || stats?.isFile() !== true) {
    sendStatus(response, 404);
    return;
  }
  response.writeHead(200, { ...SECURITY_HEADERS, 'content-type': type, 'content-length': stats.size });
  if (isHead) response.end();
  else
    createReadStream(file)
      .on('error', () => response.destroy())
      .pipe(response);
}

export function sendStatus(response: ServerResponse, status: number): void {
  response.writeHead(status, { ...SECURITY_HEADERS, 'content-length': 0 }).end();
}

/** The file a path names inside the folder; null for one that leads out of it or cannot be a name. */
function fileFor(folder: string, pathname: string): string | null {
  const name = decoded(pathname);
  // A backslash separates folders on Windows, a zero byte ends a name in C.
  if (name === null || /[\\\0]/.test(name)) return null;
  const file = join(folder, name === '/' ? 'index.html' : name);
  return file.startsWith(folder + sep) ? file : null;
}

function decoded(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return null;
  }
}
