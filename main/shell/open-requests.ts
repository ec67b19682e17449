import { statSync } from 'node:fs';
import path from 'node:path';

/**
 * Captures that the system, the menu, the command line or a second start asks to open. They wait until the page
 * listens, because macOS names them before there is a window.
 */
export class OpenRequests {
  readonly #waiting: string[] = [];
  #deliver: ((paths: readonly string[]) => void) | null = null;

  add(paths: readonly string[]): void {
    if (paths.length === 0) return;
    this.#waiting.push(...paths);
    this.#flush();
  }

  /** The page listens: what waits goes there now, and later requests at once. */
  deliverTo(deliver: (paths: readonly string[]) => void): void {
    this.#deliver = deliver;
    this.#flush();
  }

  /** The page is gone; requests wait for the next one. */
  hold(): void {
    this.#deliver = null;
  }

  #flush(): void {
    if (this.#deliver === null || this.#waiting.length === 0) return;
    this.#deliver(this.#waiting.splice(0));
  }
}

/**
 * The files and log directories among a command line's arguments, as full paths; options and the application's own
 * folder, which comes first in development, are none.
 *
 * @param argv without the program
 * @param folder what relative names refer to
 * @param own the application's folder
 */
export function filesAmong(argv: readonly string[], folder: string, own: string): string[] {
  return argv
    .filter((argument) => argument !== '' && !argument.startsWith('-'))
    .map((argument) => path.resolve(folder, argument))
    .filter((file) => file !== path.resolve(own) && isFileOrFolder(file));
}

function isFileOrFolder(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && (found.isFile() || found.isDirectory());
}
