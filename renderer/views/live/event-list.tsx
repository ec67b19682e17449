import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { GpuInfo, LiveEvent } from '../../../app/contract/live.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { gpuName } from './gpu-name.ts';

const SHOWN = 30;

/** The time of day to the second, as everywhere in the product. */
function useClock(): Intl.DateTimeFormat {
  const { locale } = useFormat();
  return useMemo(
    () =>
      new Intl.DateTimeFormat(locale, {
        hour: '2-digit',
        minute: '2-digit',
        second: '2-digit',
        hourCycle: 'h23',
      }),
    [locale],
  );
}

interface EventListProps {
  readonly events: readonly LiveEvent[];
  readonly gpus: readonly GpuInfo[];
  readonly originMs: number;
}

/** What happened, the newest first: processes that came, went or grew, marks, readings that failed. */
export function EventList({ events, gpus, originMs }: EventListProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const clock = useClock();
  const describe = (event: LiveEvent) => {
    const gpu = event.gpu === null ? '' : gpuName(gpus, event.gpu);
    const bytes = event.bytes === null ? t('live.unknown') : format.bytes(event.bytes);
    switch (event.kind) {
      case 'process-came':
        return t('live.events.came', { name: event.text, gpu, bytes });
      case 'process-went':
        return t('live.events.went', { name: event.text, gpu });
      case 'process-grew':
        return t('live.events.grew', { name: event.text, gpu, bytes });
      case 'memory-limit':
      case 'temperature-limit':
      case 'power-limit':
        return t(`live.events.${event.kind}`, { gpu, text: event.text });
      case 'gpu-lost':
        return t('live.events.lost', { gpu });
      case 'gpu-back':
        return t('live.events.back', { gpu });
      default:
        return event.text;
    }
  };
  return (
    <section aria-label={t('live.events.title')}>
      <h2>{t('live.events.title')}</h2>
      {events.length === 0 ? <p className="small quiet">{t('live.events.none')}</p> : null}
      <ul className="live-events">
        {events
          .slice(-SHOWN)
          .reverse()
          .map((event) => (
            <li key={event.number}>
              <time>{clock.format(originMs + event.time / 1e6)}</time>
              <span>{describe(event)}</span>
            </li>
          ))}
      </ul>
    </section>
  );
}
