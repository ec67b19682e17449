import { useTranslation } from 'react-i18next';
import { useKeyName, useRunCommand } from '../../commands/use-commands.ts';
import { useQuery } from '../../engine/use-query.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import type { Range } from '../../state/store.ts';
import { Pairs } from '../pairs.tsx';
import { SelectionFrame } from './selection-section.tsx';

/** A stretch of the axis: how long it is and what changed in it. */
export function RangeDetails({ range }: { readonly range: Range }) {
  const { t } = useTranslation();
  const format = useFormat();
  const run = useRunCommand();
  const zoomKey = useKeyName('zoomToSelection');
  const { info, device, axis } = useActiveTrace();
  const onDevice = { trace: info.trace, device };
  const isTime = axis === 'time';
  const { data: firstAt } = useQuery('eventAt', isTime ? { ...onDevice, time: range.from } : null);
  const { data: lastAt } = useQuery('eventAt', isTime ? { ...onDevice, time: range.to } : null);
  const first = isTime ? firstAt : Math.floor(range.from) - 1;
  const last = isTime ? lastAt : Math.ceil(range.to) - 1;
  const before = useQuery('moment', first === null ? null : { ...onDevice, event: Math.max(-1, first) }).data;
  const after = useQuery('moment', last === null ? null : { ...onDevice, event: Math.max(-1, last) }).data;
  const change = (pick: 'reserved' | 'active') =>
    before === null || after === null ? '' : format.difference(after.total[pick] - before.total[pick]);
  return (
    <SelectionFrame title={t('inspector.range')}>
      <Pairs
        pairs={[
          {
            label: t('inspector.span'),
            value: isTime
              ? format.span(range.from, range.to)
              : t('inspector.eventSpan', {
                  from: format.count(Math.ceil(range.from)),
                  to: format.count(Math.max(0, Math.ceil(range.to) - 1)),
                }),
          },
          ...(isTime
            ? [{ label: t('inspector.length'), value: format.duration(range.to - range.from) }]
            : []),
          ...(first === null || last === null
            ? []
            : [{ label: t('inspector.eventsInside'), value: format.count(Math.max(0, last - first)) }]),
          { label: t('quantity.reserved'), value: change('reserved') },
          { label: t('quantity.active'), value: change('active') },
        ]}
      />
      <div className="inspector-links">
        <button type="button" className="button" onClick={() => run('zoomToSelection')}>
          {t('inspector.zoomTo')}
          <kbd className="key">{zoomKey}</kbd>
        </button>
      </div>
    </SelectionFrame>
  );
}
