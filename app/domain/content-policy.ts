/**
 * What the page may load, whoever sends it: its own files, pictures it draws itself, and the engine. The same text
 * stands in the page, in the shell's answers and in the server's.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The same as a header, where it can also keep the page out of other pages' frames. */
export const CONTENT_SECURITY_HEADER = `${CONTENT_SECURITY_POLICY}; frame-ancestors 'none'`;
