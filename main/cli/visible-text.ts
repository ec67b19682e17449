/** Controls, line breaks included, and marks that reverse the direction of writing. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * One line as a terminal may get it. Names come from the capture, which is not trusted: an escape sequence in one
 * could repaint the screen, and a line break could forge a line of the report.
 */
export function visibleText(line: string): string {
  return line.replace(UNSEEN, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
