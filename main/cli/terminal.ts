/** Where the command line writes to. Standard output is for results, standard error for people. */
export interface Terminal {
  /** Resolves when the text is on its way, so that nothing is lost when the process ends. */
  write(text: string): Promise<void>;
  writeError(text: string): void;
  /** Whether standard error is a terminal that a person watches. */
  readonly isWatched: boolean;
}

/** The terminal of this process. A reader that goes away (`| head`) ends the program quietly. */
export function processTerminal(): Terminal {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? 0 : 1);
  });
  process.stderr.on('error', () => {});
  return {
    write: (text) => new Promise((resolve) => process.stdout.write(text, () => resolve())),
    writeError: (text) => {
      process.stderr.write(text);
    },
    isWatched: process.stderr.isTTY === true,
  };
}
