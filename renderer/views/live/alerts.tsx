import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { GpuInfo, GpuNow } from '../../../app/contract/live.ts';
import { Icon } from '../../design/icons.tsx';
import { useFormat } from '../../i18n/use-format.ts';
import { gpuName } from './gpu-name.ts';
import {
  LIMIT_MOST,
  LIMIT_NAMES,
  LIMIT_UNITS,
  type LimitName,
  type Limits,
  limitsOf,
  NO_LIMITS,
  type Passed,
  passedLimits,
  withLimits,
} from './limits.ts';
import { GROWTH, useLiveStore } from './live-store.ts';
import { NumberField } from './number-field.tsx';

interface AlertsProps {
  readonly gpus: readonly GpuInfo[];
  readonly now: readonly GpuNow[];
}

/** The limits that are reached now. What is announced is steady while they are; the value beside it is not read out. */
export function Alerts({ gpus, now }: AlertsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const limits = useLiveStore((state) => state.limits);
  const passed = passedLimits(now, limitsOf(gpus, limits));
  return (
    <div role="status" aria-live="polite">
      {passed.length === 0 ? null : (
        <div className="banner banner-critical">
          <Icon name="caution" />
          <p>
            {grouped(passed).map(({ gpu, limit, value, most, count }) => (
              <span className="passed-limit" key={`${gpu} ${limit}`}>
                {t(`live.alerts.passed.${limit}`, {
                  gpu: count > 1 ? t('live.alerts.several', { count }) : gpuName(gpus, gpu),
                  limit: written(most, limit),
                })}{' '}
                {count > 1 ? null : (
                  <span aria-hidden="true">
                    {t('live.alerts.valueNow', { value: written(Math.floor(value), limit) })}
                  </span>
                )}
              </span>
            ))}
          </p>
        </div>
      )}
    </div>
  );

  function written(value: number, limit: LimitName): string {
    return `${format.number(value)} ${LIMIT_UNITS[limit]}`;
  }
}

/** More GPUs than that at one limit are said together: the cards show which. */
const MOST_APART = 2;

function grouped(passed: readonly Passed[]): readonly (Passed & { readonly count: number })[] {
  const keyOf = ({ limit, most }: Passed) => `${limit} ${most}`;
  return passed.flatMap((one, at) => {
    const alike = passed.filter((other) => keyOf(other) === keyOf(one));
    if (alike.length <= MOST_APART) return [{ ...one, count: 1 }];
    return passed.findIndex((other) => keyOf(other) === keyOf(one)) === at
      ? [{ ...one, count: alike.length }]
      : [];
  });
}

interface AlertLimitsProps {
  readonly gpus: readonly GpuInfo[];
  readonly chosen: number;
}

/** Limits of one GPU, and what growth of a process is told of. Empty: no warning. */
export function AlertLimits({ gpus, chosen }: AlertLimitsProps) {
  const { t } = useTranslation();
  const { limits, growthMib, set } = useLiveStore();
  const id = gpus[chosen]?.id ?? '';
  const own = limits[id] ?? NO_LIMITS;
  const isAny = LIMIT_NAMES.some((name) => own[name] !== null);
  const change = (next: Limits) => set({ limits: withLimits(limits, id, next) });
  const setForAll = () => set({ limits: gpus.reduce((all, gpu) => withLimits(all, gpu.id, own), limits) });
  return (
    <section aria-label={t('live.alerts.title', { gpu: gpuName(gpus, chosen) })}>
      <h2>{t('live.alerts.title', { gpu: gpuName(gpus, chosen) })}</h2>
      {LIMIT_NAMES.map((limit) => (
        <LimitRow
          key={`${id} ${limit}`}
          label={t(`live.alerts.${limit}`)}
          unit={LIMIT_UNITS[limit]}
          most={LIMIT_MOST[limit]}
          value={own[limit]}
          onChange={(value) => change({ ...own, [limit]: value })}
        />
      ))}
      {isAny ? (
        <div className="limit-actions">
          <button type="button" className="button" onClick={() => change(NO_LIMITS)}>
            {t('live.alerts.clear')}
          </button>
          {gpus.length < 2 ? null : (
            <button type="button" className="button" onClick={setForAll}>
              {t('live.alerts.forAll')}
            </button>
          )}
        </div>
      ) : null}
      <h3 className="limit-heading">{t('live.alerts.growthTitle')}</h3>
      <GrowthRow value={growthMib} onChange={(value) => set({ growthMib: value })} />
    </section>
  );
}

interface LimitRowProps {
  readonly label: string;
  readonly unit: string;
  readonly most: number;
  readonly value: number | null;
  onChange(value: number | null): void;
}

function LimitRow({ label, unit, most, value, onChange }: LimitRowProps) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <div className="limit-row">
      <label htmlFor={id}>{label}</label>
      <NumberField
        id={id}
        value={value}
        least={0}
        most={most}
        placeholder={t('live.alerts.off')}
        onChange={onChange}
      />
      <span className="limit-unit">{unit}</span>
    </div>
  );
}

function GrowthRow({ value, onChange }: { readonly value: number; onChange(value: number): void }) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <div className="limit-row">
      <label htmlFor={id}>{t('live.alerts.growth')}</label>
      <NumberField
        id={id}
        value={value}
        least={GROWTH.least}
        most={GROWTH.most}
        onChange={(wanted) => {
          if (wanted !== null) onChange(Math.round(wanted));
        }}
      />
      <span className="limit-unit">MiB</span>
    </div>
  );
}
