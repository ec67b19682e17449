import { useMemo } from 'react';
import { useWords } from '../../charts/use-words.ts';
import { useQuery } from '../../engine/use-query.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import { fullRange } from '../../state/store.ts';
import { stepsOf } from '../live/sampled-steps.ts';
import { SampledTable } from '../live/sampled-table.tsx';
import { useDriverFigure } from './use-driver.ts';

/** The driver's lanes as numbers, over the visible stretch of time. */
export function DriverTable() {
  const { info, device, axis, range } = useActiveTrace();
  const words = useWords();
  const { figure } = useDriverFigure();
  const shown = axis === 'time' ? range : fullRange(info, device, 'time');
  const steps = useMemo(() => stepsOf(shown, 0), [shown]);
  const window = { axis: 'time' as const, from: steps.from, to: steps.to, columns: steps.count };
  const on = { trace: info.trace, device };
  const { data, isStale } = useQuery(
    'driver',
    figure === null ? null : { ...on, counter: figure.counter, window },
  );
  const series = useMemo(
    () =>
      data === null || isStale
        ? null
        : [
            { counter: { name: words.t('driver.name'), unit: 'bytes' as const }, columns: data.driver },
            {
              counter: { name: words.t('difference.name'), unit: 'bytes' as const },
              columns: data.difference,
            },
          ],
    [data, isStale, words],
  );
  if (series === null || figure === null) return <div className="data-table" />;
  return (
    <SampledTable
      label={words.t('driver.table', { figure: figure.process ?? figure.group })}
      fileName={`${info.name}-driver`}
      steps={steps}
      series={series}
      originMs={info.originMs}
    />
  );
}
