import { useTranslation } from 'react-i18next';
import type { PossibleExtra, ReportWarning } from '../../../app/contract/report.ts';
import { timeUnitOf } from '../../../app/domain/format.ts';
import { Icon } from '../../design/icons.tsx';
import { useQuery } from '../../engine/use-query.ts';
import { useErrorWords } from '../../i18n/use-error-words.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useActiveDevice, useActiveTrace } from '../../state/active-trace.ts';
import { reportOfDevice } from '../../state/device-view.ts';
import { usePlace } from '../../views/start/opening-card.tsx';

/** Of a damaged capture: what could not be read, what is sure, and what is known only between bounds. */
export function Missing() {
  const { t } = useTranslation();
  const format = useFormat();
  const { info, device } = useActiveTrace();
  const active = useActiveDevice();
  const boundsWhy = useBoundsWhy();
  const { data } = useQuery('report', { trace: info.trace });
  const report = data === null ? null : reportOfDevice(data, device);
  const one = report?.devices[device];
  if (report === null || one === undefined) return null;
  return (
    <div className="missing">
      <section>
        <h3>{t('missing.notRead')}</h3>
        <ul>
          {report.warnings.map((warning) => (
            <Warning key={`${warning.code} ${warning.message}`} warning={warning} />
          ))}
        </ul>
      </section>
      <section>
        <h3>{t('missing.sure')}</h3>
        <ul>
          <li>
            <Icon name="good" />
            <span>
              {info.hasClock
                ? t('missing.events', {
                    events: t('counted.events', { count: active.events }),
                    time: format.time(info.durationNs, timeUnitOf(info.durationNs)),
                  })
                : t('missing.eventsWithoutClock', { events: t('counted.events', { count: active.events }) })}
            </span>
          </li>
          {one.stored_end === null ? null : (
            <li>
              <Icon name="good" />
              <span>
                {t('missing.final', {
                  reserved: format.bytes(one.stored_end.reserved),
                  segments: format.count(one.segments),
                  active: format.bytes(one.stored_end.active),
                })}
              </span>
            </li>
          )}
        </ul>
      </section>
      {one.possible_extra === null ? null : (
        <section>
          <h3>{t('missing.bounds')}</h3>
          <p className="quiet">{boundsWhy(one.possible_extra)}</p>
        </section>
      )}
    </div>
  );
}

/** A dump states totals beside its lines; the start of a recording is undone from its end. */
function useBoundsWhy() {
  const { t } = useTranslation();
  const format = useFormat();
  const { info } = useActiveTrace();
  return ({ reserved, active }: PossibleExtra): string => {
    if (reserved === null || active === null) return t('missing.noUpperBound');
    const values = { reserved: format.bytes(reserved), active: format.bytes(active) };
    return t(info.format === 'tensorflow-log' ? 'missing.boundsOfDump' : 'missing.boundsWhy', values);
  };
}

function Warning({ warning }: { readonly warning: ReportWarning }) {
  const place = usePlace(warning.position);
  const { message } = useErrorWords()(warning);
  return (
    <li>
      <Icon name="missing" />
      <span>
        {message}
        <span className="caption block">
          <code>{warning.code}</code>
          {place === '' ? '' : ` · ${place}`}
        </span>
      </span>
    </li>
  );
}
