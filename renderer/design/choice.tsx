import { Icon } from './icons.tsx';

export interface ChoiceProps<T extends string> {
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly labelId: string;
  onChange(value: T): void;
}

/** One choice of many: the system's own list behind a field like every other. */
export function Choice<T extends string>({ value, options, labelId, onChange }: ChoiceProps<T>) {
  return (
    <span className="choice">
      <select
        className="field"
        aria-labelledby={labelId}
        value={value}
        onChange={(event) => onChange(event.target.value as T)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="down" isSmall />
    </span>
  );
}
