import { useState } from 'react';
import { useOverflow } from './use-overflow.ts';

/** On two lines at most; one that needs more is a button, which shows all of it. */
export function ProcessName({ name }: { readonly name: string }) {
  const [isWhole, setWhole] = useState(false);
  const [place, isCut] = useOverflow<HTMLSpanElement>();
  const text = (
    <span ref={place} className="process-name" data-whole={isWhole || undefined} title={name}>
      {name}
    </span>
  );
  if (!isCut && !isWhole) return text;
  return (
    <button
      type="button"
      className="process-more"
      aria-expanded={isWhole}
      onClick={() => setWhole((before) => !before)}
    >
      {text}
    </button>
  );
}
