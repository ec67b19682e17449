import type { KeyboardEvent } from 'react';

export interface SegmentedProps<T extends string> {
  readonly value: T;
  readonly options: readonly {
    readonly value: T;
    readonly label: string;
    readonly isDisabled?: boolean;
    /** Why it cannot be chosen, on hover. */
    readonly reason?: string;
  }[];
  /** One of the two names the group. */
  readonly label?: string;
  readonly labelId?: string;
  onChange(value: T): void;
}

/** One choice of a few, side by side: a radio group, moved through by arrow keys. */
export function Segmented<T extends string>({ value, options, label, labelId, onChange }: SegmentedProps<T>) {
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (steps === undefined) return;
    event.preventDefault();
    const enabled = options.filter((option) => !option.isDisabled);
    const at = enabled.findIndex((option) => option.value === value);
    const next = enabled[(at + steps + enabled.length) % enabled.length];
    if (next === undefined) return;
    onChange(next.value);
    event.currentTarget.querySelector<HTMLElement>(`[data-value="${next.value}"]`)?.focus();
  };
  return (
    <div
      className="segmented"
      role="radiogroup"
      aria-label={label}
      aria-labelledby={labelId}
      onKeyDown={onKeyDown}
    >
      {options.map((option) => (
        // biome-ignore lint/a11y/useSemanticElements: drawn as a button, read as a radio
        <button
          type="button"
          key={option.value}
          role="radio"
          data-value={option.value}
          aria-checked={option.value === value}
          tabIndex={option.value === value ? 0 : -1}
          disabled={option.isDisabled}
          title={option.reason}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
