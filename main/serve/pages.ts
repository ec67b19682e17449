import { createReadStream, existsSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { engineError, findShipped } from '../engine/index.ts';
import { PAGE_HEADERS, pageFile } from '../engine/page-files.ts';

/** The same as in the desktop shell, and no other page may frame this one. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  ...PAGE_HEADERS,
  'x-frame-options': 'DENY',
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
  const file = pageFile(folder, pathname);
  const stats = file === null ? undefined : statSync(file.path, { throwIfNoEntry: false });
  if (file === null || stats?.isFile() !== true) {
    sendStatus(response, 404);
    return;
  }
  response.writeHead(200, { ...SECURITY_HEADERS, 'content-type': file.type, 'content-length': stats.size });
  if (isHead) response.end();
  else
    createReadStream(file.path)
      .on('error', () => response.destroy())
      .pipe(response);
}

export function sendStatus(response: ServerResponse, status: number): void {
  response.writeHead(status, { ...SECURITY_HEADERS, 'content-length': 0 }).end();
}
