/** How a file is packed, or that it is a database, by its first bytes. What else it is, the addon decides. */
export type FileKind = 'gzip' | 'zstd' | 'zip' | 'database' | 'other';

const SQLITE = 'SQLite format 3\0';

export function kindOf(head: Uint8Array): FileKind {
  const [first = 0, second = 0, third = 0, fourth = 0] = head;
  if (first === 0x1f && second === 0x8b) return 'gzip';
  if (first === 0x28 && second === 0xb5 && third === 0x2f && fourth === 0xfd) return 'zstd';
  // A local header, or the end record of an empty archive.
  if (first === 0x50 && second === 0x4b && (third === 3 || third === 5) && fourth === third + 1) return 'zip';
  return Buffer.from(head.subarray(0, SQLITE.length)).toString('latin1') === SQLITE ? 'database' : 'other';
}
