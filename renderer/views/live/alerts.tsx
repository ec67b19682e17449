import { useTranslation } from 'react-i18next';
import type { GpuInfo, GpuNow } from '../../../app/contract/live.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { gpuName } from './gpu-name.ts';
import { LIMIT_NAMES, type Limits, passedLimits } from './limits.ts';

interface AlertsProps {
  readonly gpus: readonly GpuInfo[];
  readonly now: readonly GpuNow[];
  readonly limits: Limits;
}

/** The limits of the user's that are passed at this moment. */
export function Alerts({ gpus, now, limits }: AlertsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const passed = passedLimits(now, limits);
  return (
    <div role="alert">
      {passed.length === 0 ? null : (
        <div className="banner banner-critical">
          {passed
            .map(({ gpu, limit, value }) =>
              t(`live.alerts.passed.${limit}`, {
                gpu: gpuName(gpus, gpu),
                value: format.count(Math.round(value)),
              }),
            )
            .join(' ')}
        </div>
      )}
    </div>
  );
}

interface AlertLimitsProps {
  readonly limits: Limits;
  onChange(limits: Limits): void;
}

/** Empty: no warning. */
export function AlertLimits({ limits, onChange }: AlertLimitsProps) {
  const { t } = useTranslation();
  return (
    <section aria-label={t('live.alerts.title')}>
      <h2>{t('live.alerts.title')}</h2>
      {LIMIT_NAMES.map((limit) => (
        <label key={limit} className="limit-row">
          <span>{t(`live.alerts.${limit}`)}</span>
          <input
            className="field"
            type="number"
            min={0}
            value={limits[limit] ?? ''}
            onChange={(event) => {
              const value = event.target.valueAsNumber;
              onChange({ ...limits, [limit]: Number.isFinite(value) && value > 0 ? value : null });
            }}
          />
        </label>
      ))}
    </section>
  );
}
