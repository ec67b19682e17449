/** What a file seems to be by its first bytes; the addon decides about everything but the packings. */
export type FileKind = 'gzip' | 'zstd' | 'zip' | 'pickle' | 'database' | 'json' | 'html' | 'other';

/** Which of several files in an archive is most likely the capture. */
export const KINDS_BY_PREFERENCE: readonly FileKind[] = [
  'pickle',
  'database',
  'gzip',
  'zstd',
  'zip',
  'json',
  'html',
];

const PROTO = 0x80;
const NEWEST_PROTOCOL = 5;

export function kindOf(head: Uint8Array): FileKind {
  const [first = 0, second = 0, third = 0, fourth = 0] = head;
  if (first === 0x1f && second === 0x8b) return 'gzip';
  if (first === 0x28 && second === 0xb5 && third === 0x2f && fourth === 0xfd) return 'zstd';
  // A local header, or the end record of an empty archive.
  if (first === 0x50 && second === 0x4b && (third === 3 || third === 5) && fourth === third + 1) return 'zip';
  if (first === PROTO && second >= 2 && second <= NEWEST_PROTOCOL) return 'pickle';
  const text = new TextDecoder().decode(head);
  return text.startsWith('SQLite format 3\0') ? 'database' : kindOfText(text.trimStart());
}

/** Pickle protocols 0 and 1 are text, too: they begin with MARK, or with an opcode for an empty list or dict. */
function kindOfText(text: string): FileKind {
  if (/^(\([dl]|\(lp|\(dp|\}[.q(]|\][.q(])/.test(text)) return 'pickle';
  if (text.startsWith('{') || text.startsWith('[')) return 'json';
  return /^<(!doctype|html|head|script)/i.test(text) ? 'html' : 'other';
}
