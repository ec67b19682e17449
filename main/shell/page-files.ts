import { readFile } from 'node:fs/promises';
import { PAGE_HEADERS, type PageFile, pageFile } from '../engine/page-files.ts';
import { ORIGIN } from './origin.ts';

/**
 * Answers requests to app://strata/ with the built page's files and nothing else: a name that leads out of the
 * folder, has no known type or belongs to another host is refused.
 */
export function createPageFiles(folder: string): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405);
    const file = fileFor(folder, request.url);
    if (file === null) return refuse(404);
    try {
      const contents = await readFile(file.path);
      return new Response(request.method === 'HEAD' ? null : new Uint8Array(contents), {
        headers: { ...PAGE_HEADERS, 'content-type': file.type },
      });
    } catch {
      return refuse(404);
    }
  };
}

function fileFor(folder: string, url: string): PageFile | null {
  if (!URL.canParse(url)) return null;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}` === ORIGIN ? pageFile(folder, pathname) : null;
}

const refuse = (status: number) => new Response(null, { status, headers: PAGE_HEADERS });
