import { useState } from 'react';

export interface NumberFieldProps {
  readonly id: string;
  readonly value: number | null;
  readonly least: number;
  readonly most: number;
  readonly placeholder?: string;
  /** Null: the field was emptied. Not told of what is out of bounds. */
  onChange(value: number | null): void;
}

/** A number that takes effect as it is typed; what cannot be taken stays in the field, marked, until it is left. */
export function NumberField({ id, value, least, most, placeholder, onChange }: NumberFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? (value === null ? '' : String(value));
  const isWrong = typed !== null && typed.trim() !== '' && !isWithin(Number(typed), least, most);
  return (
    <input
      id={id}
      className="field number-field"
      inputMode="decimal"
      autoComplete="off"
      placeholder={placeholder}
      value={shown}
      aria-invalid={isWrong || undefined}
      onChange={({ target }) => {
        setTyped(target.value);
        if (target.value.trim() === '') onChange(null);
        else if (isWithin(Number(target.value), least, most)) onChange(Number(target.value));
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isFinite(value) && value >= least && value <= most;
}
