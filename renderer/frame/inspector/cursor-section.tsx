import { useTranslation } from 'react-i18next';
import type { AnnotationInfo } from '../../../app/contract/engine.ts';
import { timeUnitOf } from '../../../app/domain/format.ts';
import type { EventIndex } from '../../../app/domain/units.ts';
import { annotationName } from '../../charts/annotation-name.ts';
import { useWords } from '../../charts/use-words.ts';
import { useQuery } from '../../engine/use-query.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { isInstant, useActiveDevice, useActiveTrace } from '../../state/active-trace.ts';

/** The innermost annotation around an event. */
export function innermost(annotations: readonly AnnotationInfo[], event: EventIndex): AnnotationInfo | null {
  const around = annotations.filter((one) => one.beginEvent <= event && event <= one.endEvent);
  return around.reduce<AnnotationInfo | null>(
    (best, one) => (best === null || one.depth > best.depth ? one : best),
    null,
  );
}

export function CursorSection() {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useWords();
  const { info, device, cursor } = useActiveTrace();
  const active = useActiveDevice();
  const { events } = active;
  const onDevice = { trace: info.trace, device };
  const { data: event } = useQuery('event', cursor < 0 ? null : { ...onDevice, event: cursor });
  const { data: marks } = useQuery('markers', onDevice);
  if (isInstant(active)) {
    return (
      <section>
        <h2 className="caption">{t('inspector.oneInstant')}</h2>
        <p className="small quiet">{t('inspector.oneInstantWhy')}</p>
      </section>
    );
  }
  const time = cursor < 0 ? 0 : (event?.time ?? null);
  const isTimed = info.hasClock && time !== null;
  const annotation = innermost(marks?.annotations ?? [], cursor);
  const marker = marks?.markers.find((one) => one.event === cursor)?.kind;
  return (
    <section>
      <h2 className="caption">{info.hasClock ? t('inspector.timeCursor') : t('inspector.eventCursor')}</h2>
      <p className="inspector-time">
        {cursor < 0
          ? t('moment.start')
          : isTimed
            ? format.cursorTime(time, timeUnitOf(info.durationNs))
            : t('moment.event', { event: format.count(cursor) })}
      </p>
      <p className="small quiet">
        {marker !== undefined && annotation !== null
          ? t('inspector.atInside', {
              what: t(`inspector.at.${marker}`),
              name: annotationName(words, annotation.name),
            })
          : marker !== undefined
            ? t(`inspector.at.${marker}`)
            : annotation !== null
              ? t('inspector.inside', { name: annotationName(words, annotation.name) })
              : ''}
      </p>
      <p className="caption">
        {cursor < 0
          ? t('inspector.beforeFirst', { events: format.count(events) })
          : t('inspector.afterEvent', {
              event: format.count(cursor),
              last: format.count(events - 1),
              action: event?.action ?? '',
            })}
      </p>
      {info.hasClock ? null : <p className="caption">{t('inspector.noClock')}</p>}
    </section>
  );
}
