import { constants, gunzipSync } from 'node:zlib';
import { loadAddon } from '../addon.ts';
import { kindOf } from './kind.ts';

/** How sure it is that a file in an archive is a capture, by its beginning. */
export type Likeness = 'capture' | 'perhaps' | 'text' | 'no';

/** Of a packed file, this much is unpacked to look inside: at most some 16 MiB come of it. */
const PACKED_HEAD_BYTES = 16 * 1024;
const MOST_UNPACKED_BYTES = 32 * 1024 ** 2;
/** Logs that a reader finds lines of its own in wherever they stand. */
const LOG_FORMATS: readonly string[] = ['rmm-log', 'tensorflow-log'];

export function likenessOf(head: Uint8Array): Likeness {
  switch (kindOf(head)) {
    case 'gzip':
      return insideGzip(head);
    case 'zstd':
    case 'zip':
      return 'perhaps';
    default:
      return likenessOfContent(head);
  }
}

/** Whether a later part of a text holds lines of an allocator. */
export function isLogOfAllocator(part: Uint8Array): boolean {
  return LOG_FORMATS.includes(loadAddon().recognise(part));
}

function likenessOfContent(head: Uint8Array): Likeness {
  const format = loadAddon().recognise(head);
  if (format === 'json' || format === 'html') return 'perhaps';
  if (format !== '') return 'capture';
  return isText(head) ? 'text' : 'no';
}

function insideGzip(head: Uint8Array): Likeness {
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MOST_UNPACKED_BYTES };
    return likenessOfContent(gunzipSync(head.subarray(0, PACKED_HEAD_BYTES), options));
  } catch {
    return 'perhaps'; // damaged, or more than is looked at: whoever opens it is told
  }
}

function isText(head: Uint8Array): boolean {
  return head.length > 0 && !head.subarray(0, 512).some((byte) => byte < 9 || (byte > 13 && byte < 32));
}
