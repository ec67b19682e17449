import { Tooltip } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';

export interface TipProps {
  readonly label: string;
  /** The key that does the same. */
  readonly keyName?: string;
  readonly side?: 'right' | 'bottom' | 'top';
  /** One control, which carries its own accessible name. */
  readonly children: ReactElement<Record<string, unknown>>;
}

/** A name beside a control that has none, with its key. */
export function Tip({ label, keyName, side = 'bottom', children }: TipProps) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children} />
      <Tooltip.Portal>
        <Tooltip.Positioner side={side} sideOffset={6} className="tip-place">
          <Tooltip.Popup className="tip float">
            {label}
            {keyName ? <kbd className="key">{keyName}</kbd> : null}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
