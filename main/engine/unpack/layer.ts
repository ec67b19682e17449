import type { ReportWarning } from '../../../app/contract/report.ts';

/** A warning of a report, and whether it says that something could not be read. */
export type UnpackWarning = ReportWarning & { readonly damage: boolean };

/** How one layer of packing is to be taken off. */
export interface LayerOptions {
  readonly signal: AbortSignal | undefined;
  /** Bytes of the packed file that have been read, and its size. */
  readonly onProgress: (done: number, total: number) => void;
  readonly guard: (written: number) => void;
}

export interface Layer {
  readonly warnings: readonly UnpackWarning[];
  /** True for the pickle inside a file that torch.save wrote. */
  readonly isCheckpoint: boolean;
}

export function damage(code: string, message: string, byte: number | null): UnpackWarning {
  return { code, message, position: byte === null ? null : { byte }, damage: true };
}
