import { useTranslation } from 'react-i18next';
import { type LiveInfo, type LookedFor, SCENARIOS } from '../../../app/contract/live.ts';
import { Icon } from '../../design/icons.tsx';
import { CopyButton } from '../../frame/copy-button.tsx';
import { ShowAllocations } from '../live-allocations/show-how.tsx';
import { RecordLink } from '../record/record-link.tsx';
import { useLiveStore } from './live-store.ts';

/** Not an error: what was looked for, where, and one thing to do; beside it the simulated source. */
export function NoGpu({ info }: { readonly info: LiveInfo }) {
  const { t } = useTranslation();
  return (
    <div className="page no-gpu">
      <div>
        <h2 className="no-gpu-title">{t('live.none.title')}</h2>
        <p className="quiet">{t('live.none.why')}</p>
        <ul className="no-gpu-list">
          {info.lookedFor.map((report) => (
            <Missing key={report.kind} report={report} />
          ))}
          {info.isContainer ? (
            <MissingRow
              name={t('live.none.container')}
              found={t('live.none.containerFound')}
              why={t('live.none.containerWhy')}
              command="docker run --gpus all …"
            />
          ) : null}
        </ul>
        <h3>{t('live.none.elsewhere')}</h3>
        <p className="small quiet">{t('live.none.elsewhereHow')}</p>
        <Command text="strata serve" />
        <Command text="strata sample --seconds 600 --out gpu.strata" />
        <p>
          <RecordLink guide="gpus" />
        </p>
      </div>
      <div>
        <SimulatedCard />
        <ShowAllocations />
      </div>
    </div>
  );
}

function Missing({ report }: { readonly report: LookedFor }) {
  const { t } = useTranslation();
  const where = report.where.join(', ');
  if (report.kind === 'amd') {
    return (
      <MissingRow
        name="AMD"
        found={t('live.none.amdFound', { what: report.what, where })}
        why={t('live.none.amdWhy')}
        command="modprobe amdgpu"
      />
    );
  }
  if (report.kind === 'drm') {
    return (
      <MissingRow
        name={t('live.none.others')}
        found={t('live.none.othersFound', { where })}
        why={t('live.none.othersWhy')}
      />
    );
  }
  const isMissing = report.code === 'library-not-found';
  return (
    <MissingRow
      name="NVIDIA"
      found={
        isMissing
          ? t('live.none.nvidiaFound', { what: report.what })
          : t('live.none.nvidiaFailed', { what: report.what, code: report.code, detail: report.detail })
      }
      why={isMissing ? t('live.none.nvidiaWhy', { where }) : t('live.none.nvidiaCheck')}
      command="nvidia-smi"
    />
  );
}

interface MissingRowProps {
  readonly name: string;
  readonly found: string;
  readonly why: string;
  readonly command?: string;
}

function MissingRow({ name, found, why, command }: MissingRowProps) {
  return (
    <li>
      <Icon name="missing" />
      <b>{name}</b>
      <div>
        <p>{found}</p>
        <p className="small quiet">{why}</p>
        {command === undefined ? null : <Command text={command} />}
      </div>
    </li>
  );
}

function Command({ text }: { readonly text: string }) {
  const { t } = useTranslation();
  return (
    <span className="command-chip">
      <code className="mono">{text}</code>
      <CopyButton label={t('live.copy', { command: text })} text={() => text} />
    </span>
  );
}

/** A model instead of a driver, which says so wherever it is shown. */
export function SimulatedCard() {
  const { t } = useTranslation();
  const set = useLiveStore((state) => state.set);
  return (
    <section className="card simulated-card" aria-label={t('live.simulated.title')}>
      <h3>{t('live.simulated.title')}</h3>
      <p className="small quiet">{t('live.simulated.why')}</p>
      <ul>
        {SCENARIOS.map((scenario) => (
          <li key={scenario}>
            <button type="button" className="button" onClick={() => set({ scenario, gpu: 0, heldAt: null })}>
              {t(`live.simulated.scenarios.${scenario}`)}
            </button>
            <span className="small quiet">{t(`live.simulated.notes.${scenario}`)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
