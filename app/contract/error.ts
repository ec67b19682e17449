/** An error for the person in front of the screen, in a form that crosses processes. */
export interface EngineErrorData {
  /** Stable, for machines and translations, e.g. "pickle-forbidden-opcode". */
  readonly code: string;
  /** One plain English sentence. */
  readonly message: string;
  /** What the user can do; may be empty. */
  readonly remedy: string;
  /** Where in the file, when there is such a place. */
  readonly position: Position | null;
}

export type Position = { readonly byte: number } | { readonly line: number } | { readonly row: number };

export class EngineError extends Error implements EngineErrorData {
  readonly code: string;
  readonly remedy: string;
  readonly position: Position | null;

  constructor(data: EngineErrorData) {
    super(data.message);
    this.name = 'EngineError';
    this.code = data.code;
    this.remedy = data.remedy;
    this.position = data.position;
  }

  toJSON(): EngineErrorData {
    return { code: this.code, message: this.message, remedy: this.remedy, position: this.position };
  }
}
