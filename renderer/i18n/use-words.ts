import { useTranslation } from 'react-i18next';
import type { MomentRef, SiteInfo, TraceInfo } from '../../app/contract/engine.ts';
import { timeUnitOf } from '../../app/domain/format.ts';
import { useFormat } from './use-format.ts';

/** Call sites without a line of code have a name of the product's own, which is translated. */
export function useSiteName(): (name: string, kind: SiteInfo['kind'] | undefined) => string {
  const { t } = useTranslation();
  return (name, kind) => {
    if (kind === 'before') return t('site.before');
    if (kind === 'other') return t('site.other');
    if (kind === 'unknown') return t('site.unknown');
    return name === 'autograd engine' ? t('site.autograd') : name;
  };
}

/** When something happened: its time, or its event where the capture has no clock. */
export function useMomentName(info: TraceInfo): (moment: MomentRef) => string {
  const { t } = useTranslation();
  const format = useFormat();
  const unit = timeUnitOf(info.durationNs);
  return ({ event, time }) => {
    if (event < 0) return t('moment.beforeFirst');
    if (info.hasClock && info.durationNs === 0) return t('moment.onlyOne');
    return time === null ? t('moment.event', { event: format.count(event) }) : format.cursorTime(time, unit);
  };
}
