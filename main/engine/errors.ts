import { EngineError, type Position } from '../../app/contract/error.ts';

/** Makes an EngineError in one line. */
export function engineError(
  code: string,
  message: string,
  remedy = '',
  position: Position | null = null,
): EngineError {
  return new EngineError({ code, message, remedy, position });
}

export const cancelled = () => engineError('cancelled', 'The work was cancelled.');

/** What the addon adds to the errors it throws. */
interface NativeErrorParts {
  readonly code?: unknown;
  readonly remedy?: unknown;
  readonly byte?: unknown;
}

/** Turns whatever was thrown into an error of the contract; the unknown becomes code "internal". */
export function toEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  if (!(error instanceof Error)) return engineError('internal', String(error));
  const { code, remedy, byte } = error as NativeErrorParts;
  if (typeof code === 'string' && typeof remedy === 'string') {
    return engineError(code, error.message, remedy, typeof byte === 'number' && byte >= 0 ? { byte } : null);
  }
  return engineError(
    'internal',
    `Something went wrong inside Strata: ${error.message}`,
    'Report it together with the file.',
  );
}

/** Why a call of the system failed, without the code and the call that Node adds: "no space left on device". */
export function systemReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return /^[A-Z]+\w*: (.+), \w+(?: '.*)?$/s.exec(error.message)?.[1] ?? error.message;
}
