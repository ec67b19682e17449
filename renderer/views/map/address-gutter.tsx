import { useMemo } from 'react';
import { addressAxis } from '../../charts/address-axis.ts';
import { useWords } from '../../charts/use-words.ts';
import { GUTTER } from '../../charts/viewport.ts';
import type { Addresses } from './use-map.ts';

interface Props {
  readonly addresses: Addresses;
  readonly height: number;
  /** Of the picture right of the gutter. */
  readonly width: number;
}

/** The address axis: ranges by their address, offsets within them, and how much empty space was folded away. */
export function AddressGutter({ addresses, height, width }: Props) {
  const words = useWords();
  const axis = useMemo(
    () => addressAxis(addresses.ranges, addresses.visible, height, words.locale),
    [addresses, height, words.locale],
  );
  return (
    <>
      <div className="address-gutter" aria-hidden="true" style={{ width: GUTTER, height }}>
        {axis.ticks.map((tick) => (
          <span key={tick.y} className="address-tick" style={{ top: tick.y }}>
            {tick.label}
          </span>
        ))}
        {axis.ranges.map((range, at) =>
          range.isNamed ? (
            <span key={range.address} className="address-name" style={{ top: range.y + 2 }}>
              <code>{range.address}</code>
              {at === 0 && axis.folds > 0 ? (
                <small>{words.t('map.folds', { count: axis.folds, folds: words.count(axis.folds) })}</small>
              ) : null}
            </span>
          ) : null,
        )}
      </div>
      <div className="address-lines" style={{ width: GUTTER + width, height }}>
        {axis.ranges.map((range) =>
          range.hasLine ? (
            <div key={range.address} className="address-line" style={{ top: range.y }} />
          ) : null,
        )}
      </div>
    </>
  );
}
