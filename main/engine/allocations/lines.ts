/** The longest line that is taken, with its end; no event needs more. */
export const LONGEST_LINE = 1024 ** 2;

const NEWLINE = 0x0a;

/** Cuts what arrives into whole lines; what is left of the last one waits for the rest. */
export class LineCutter {
  #rest: Buffer = Buffer.alloc(0);
  #lines = 0;
  #bytes = 0;

  /** Lines that were given out, and the bytes before the one that waits. */
  get lines(): number {
    return this.#lines;
  }
  get bytes(): number {
    return this.#bytes;
  }
  /** Bytes of the line that has no end yet. */
  get waiting(): number {
    return this.#rest.length;
  }
  get isTooLong(): boolean {
    return this.#rest.length >= LONGEST_LINE;
  }

  /** One line with its end, or null until more arrives. */
  next(): Buffer | null {
    const end = this.#rest.indexOf(NEWLINE);
    if (end < 0 || end >= LONGEST_LINE) return null;
    return this.#take(end + 1);
  }

  /** All whole lines that are no control lines, up to the first that is one; empty when a control line is next. */
  events(): Buffer {
    let end = 0;
    let lines = 0;
    for (;;) {
      if (isControl(this.#rest, end)) break;
      const newline = this.#rest.indexOf(NEWLINE, end);
      if (newline < 0 || newline - end >= LONGEST_LINE) break;
      end = newline + 1;
      lines += 1;
    }
    this.#lines += Math.max(0, lines - 1);
    return end === 0 ? Buffer.alloc(0) : this.#take(end);
  }

  add(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
  }

  #take(end: number): Buffer {
    const taken = this.#rest.subarray(0, end);
    this.#rest = this.#rest.subarray(end);
    this.#lines += 1;
    this.#bytes += end;
    return taken;
  }
}

/** Control lines are objects whose first key is "strata"; every other line belongs to the recording. */
const CONTROL = /^[ \t\r]*\{[ \t]*"strata"[ \t]*:/;
const PREFIX_BYTES = 64;

function isControl(bytes: Buffer, from: number): boolean {
  return CONTROL.test(bytes.toString('latin1', from, from + PREFIX_BYTES));
}
