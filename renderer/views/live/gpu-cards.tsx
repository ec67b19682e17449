import { useTranslation } from 'react-i18next';
import type { GpuInfo, GpuNow } from '../../../app/contract/live.ts';
import { Icon } from '../../design/icons.tsx';
import { useFormat } from '../../i18n/use-format.ts';
import { gpuName } from './gpu-name.ts';
import { limitsOf, passedLimits } from './limits.ts';
import { useLiveStore } from './live-store.ts';

interface GpuCardsProps {
  readonly gpus: readonly GpuInfo[];
  readonly now: readonly GpuNow[];
  readonly chosen: number;
  onChoose(gpu: number): void;
}

/** With more GPUs the cards are small, so that there is room for the lanes of the one that is chosen. */
const MOST_LARGE = 4;

/** A card a GPU; MIG instances follow theirs. Those that have reached a limit are marked. */
export function GpuCards({ gpus, now, chosen, onChoose }: GpuCardsProps) {
  const { t } = useTranslation();
  const isCompact = gpus.length > MOST_LARGE;
  const limits = useLiveStore((state) => state.limits);
  const warned = new Set(passedLimits(now, limitsOf(gpus, limits)).map(({ gpu }) => gpu));
  return (
    <ul className="gpu-cards" data-compact={isCompact || undefined} aria-label={t('live.gpus')}>
      {gpus.map((gpu, position) => (
        <li key={gpu.id} data-nested={gpu.parent !== null || undefined}>
          <button
            type="button"
            className="card gpu-card"
            aria-pressed={position === chosen}
            onClick={() => onChoose(position)}
          >
            <span className="gpu-card-head">
              <b>{gpuName(gpus, position)}</b>
              <span className="quiet ellipsis">{isCompact ? <Busy now={now[position]} /> : gpu.name}</span>
            </span>
            <Readings now={now[position]} isWarned={warned.has(position)} isCompact={isCompact} />
          </button>
        </li>
      ))}
    </ul>
  );
}

function Warned() {
  const { t } = useTranslation();
  return (
    <span className="gpu-warned">
      <Icon name="caution" />
      <span className="unseen">{t('live.alerts.onCard')}</span>
    </span>
  );
}

function Busy({ now }: { readonly now: GpuNow | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  const busy = now?.values.busy ?? null;
  return busy === null ? null : t('live.busyShort', { percent: format.count(busy) });
}

interface ReadingsProps {
  readonly now: GpuNow | undefined;
  readonly isWarned: boolean;
  readonly isCompact: boolean;
}

function Readings({ now, isWarned, isCompact }: ReadingsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  if (now === undefined) return <span className="quiet">{t('live.waiting')}</span>;
  if (now.isLost) return <span className="gpu-lost">{t('live.lost')}</span>;
  const { used, total, busy, power, temperature } = now.values;
  const facts = [
    busy === null ? null : t('live.busyShort', { percent: format.count(busy) }),
    power === null ? null : `${format.count(Math.round(power / 1000))} W`,
    temperature === null ? null : `${format.count(temperature)} °C`,
  ].filter((fact) => fact !== null);
  return (
    <>
      <span className="gpu-memory">
        <b>{used === null ? t('live.unknown') : format.bytes(used)}</b>
        {total === null ? null : (
          <span className="quiet">{t('live.ofTotal', { total: format.bytes(total) })}</span>
        )}
        {isWarned ? <Warned /> : null}
      </span>
      {used === null || total === null || total === 0 ? null : (
        <span className="gpu-bar" aria-hidden="true">
          <span style={{ width: `${Math.min(100, (100 * used) / total)}%` }} />
        </span>
      )}
      {isCompact ? null : <span className="gpu-facts">{facts.join('   ')}</span>}
    </>
  );
}
