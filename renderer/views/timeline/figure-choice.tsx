import { useId } from 'react';
import type { DriverFigure } from '../../../app/domain/driver-figures.ts';
import type { Words } from '../../charts/use-words.ts';
import { Choice } from '../../design/choice.tsx';
import type { Driver } from './use-driver.ts';

const NOTHING = '';

/** What the device is compared with: a GPU as a whole, one of its processes, or nothing. Absent where nothing is offered. */
export function FigureChoice({ driver, words }: { readonly driver: Driver; readonly words: Words }) {
  const labelId = useId();
  if (driver.figures.length === 0) return null;
  const nameOf = ({ group, process }: DriverFigure) =>
    process === null
      ? words.t('driver.option', { gpu: group })
      : words.t('driver.process', { gpu: group, process });
  return (
    <>
      <span id={labelId} className="unseen">
        {words.t('driver.figure')}
      </span>
      <Choice
        labelId={labelId}
        value={driver.figure === null ? NOTHING : String(driver.figure.counter)}
        options={[
          { value: NOTHING, label: words.t('driver.none') },
          ...driver.figures.map((one) => ({ value: String(one.counter), label: nameOf(one) })),
        ]}
        onChange={(value) => driver.choose(value === NOTHING ? null : Number(value))}
      />
    </>
  );
}
