/** What the shell gets to see. */
export const ExitCode = {
  Done: 0,
  /** The file could not be opened, or the command was wrong. */
  Refused: 1,
  /** Opened, but something in the file could not be read. */
  Damaged: 2,
  /** Ended by Ctrl-C, as shells number it. */
  Cancelled: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
