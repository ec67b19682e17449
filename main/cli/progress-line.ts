import type { ProgressInfo, Stage } from '../../app/contract/engine.ts';
import { formatBytes, formatCount, plainSpaces } from '../../app/domain/format.ts';
import type { Terminal } from './terminal.ts';

const WORDS: Readonly<Record<Stage, string>> = {
  unpack: 'Unpacking',
  read: 'Reading',
  rebuild: 'Rebuilding',
  simulate: 'Simulating',
  index: 'Indexing',
};
const CLEAR_LINE = '\r\u001b[K';

/** One line on standard error that is written over and over, and only where a person watches. */
export class ProgressLine {
  readonly #terminal: Terminal;
  #isShown = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show(progress: ProgressInfo): void {
    if (!this.#terminal.isWatched) return;
    this.#terminal.writeError(CLEAR_LINE + describe(progress));
    this.#isShown = true;
  }

  clear(): void {
    if (this.#isShown) this.#terminal.writeError(CLEAR_LINE);
    this.#isShown = false;
  }
}

function describe({ stage, done, total, events }: ProgressInfo): string {
  const share = total > 0 ? ` ${Math.floor((100 * done) / total)} %` : '';
  const counted = events > 0 ? `, ${formatCount(events)} events` : '';
  const read = stage === 'read' || stage === 'unpack' ? ` of ${plainSpaces(formatBytes(total))}` : '';
  return `${WORDS[stage]}${share}${read}${counted}`;
}
