import type { KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { bestFile, hostsOf, type ProfileFile, type ProfileRun } from '../../../app/domain/profile-runs.ts';
import { usePlatform } from '../../engine/platform.ts';
import { useLocale } from '../../i18n/i18n.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useFrame } from '../../state/frame.ts';
import { openFile, togetherAs } from '../../state/openings.ts';

/** The runs of a log directory, newest first; one of several hosts opens as one trace, or one of its hosts alone. */
export function ChooseRun() {
  const { t } = useTranslation();
  const { engine } = usePlatform();
  const offered = useFrame((state) => state.offeredRuns);
  const openDialog = useFrame((state) => state.openDialog);
  if (offered === null) return null;
  const open = (files: readonly ProfileFile[]) => {
    openDialog(null);
    const [only, ...others] = files.map(offered.file);
    if (only !== undefined) void openFile(engine, others.length === 0 ? only : togetherAs([only, ...others]));
  };
  return (
    <div className="runs">
      <p className="quiet ellipsis" title={offered.folder}>
        {t('runs.lead', { folder: offered.folder, count: offered.runs.length })}
      </p>
      {offered.isWhole ? null : <p className="caption">{t('runs.partly')}</p>}
      <ul onKeyDown={moveByArrows}>
        {offered.runs.map((run) => (
          <Run key={`${run.name} ${run.files[0]?.path}`} run={run} onOpen={open} />
        ))}
      </ul>
    </div>
  );
}

interface RunProps {
  readonly run: ProfileRun;
  readonly onOpen: (files: readonly ProfileFile[]) => void;
}

function Run({ run, onOpen }: RunProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const locale = useLocale();
  const hosts = hostsOf(run);
  const best = hosts.flatMap((host) => bestFile(run, host) ?? []);
  const when = run.timeMs === null ? '' : new Date(run.timeMs).toLocaleString(locale);
  const formats = [...new Set(best.map((file) => t(`runs.format.${file.format}`)))].join(', ');
  return (
    <li>
      <button type="button" className="run-choice" onClick={() => onOpen(best)}>
        <b className="ellipsis">{run.name}</b>
        <span className="quiet small">{when}</span>
        <span className="caption ellipsis">
          {hosts.length === 1
            ? t('runs.oneHost', { host: hosts[0], size: format.bytes(run.bytes), formats })
            : t('runs.hosts', { hosts: format.count(hosts.length), size: format.bytes(run.bytes), formats })}
        </span>
      </button>
      {hosts.length === 1 ? null : (
        <div className="run-hosts">
          {best.map((file) => (
            <button type="button" className="button" key={file.path} onClick={() => onOpen([file])}>
              {file.host}
            </button>
          ))}
        </div>
      )}
    </li>
  );
}

/** Up and down go from button to button. */
function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const buttons = [...event.currentTarget.querySelectorAll('button')];
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  buttons[Math.min(buttons.length - 1, Math.max(0, at + step))]?.focus();
}
