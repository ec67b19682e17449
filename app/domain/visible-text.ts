/** Controls, line breaks included, marks that turn the direction of writing, and signs that take no room. */
const UNSEEN =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/**
 * One line as a terminal or the screen may get it. Names come from the capture, which is not trusted: an escape
 * sequence in one could repaint the terminal, a line break forge a line of the report, an unseen sign make one name
 * look like another. In captures the native readers see to all but the controls.
 */
export function visibleText(line: string): string {
  return line.replace(UNSEEN, (sign) => {
    const point = (sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
    return point.length > 4 ? `\\u{${point}}` : `\\u${point}`;
  });
}
