import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { useShallow } from 'zustand/react/shallow';
import type { RunRequest } from '../../app/contract/simulation.ts';
import { useKeyName, useRunCommand } from '../commands/use-commands.ts';
import { Icon, Logo } from '../design/icons.tsx';
import { usePlatform } from '../engine/platform.ts';
import { useStore } from '../state/store.ts';
import { closeTrace } from '../state/traces.ts';
import { useRunWords } from '../views/what-if/run-words.ts';
import { Tip } from './tip.tsx';

/** The name of the product and one tab for each open trace. */
export const TitleBar = memo(() => {
  const { t } = useTranslation();
  const infos = useStore(useShallow((state) => state.traces.map((one) => one.info)));
  const run = useRunCommand();
  const openKey = useKeyName('open');
  const togetherKey = useKeyName('together');
  const canJoin = infos.filter((info) => info.source.kind !== 'simulation').length >= 2;
  return (
    <header className="title-bar">
      <div className="brand">
        <Logo />
        <span>{t('product')}</span>
      </div>
      <nav className="tabs" aria-label={t('frame.openTraces')}>
        <ul>
          {infos.map((info) => (
            <TraceTab
              key={info.trace}
              trace={info.trace}
              name={info.name}
              isDamaged={!info.isComplete}
              isSampled={info.devices.length === 0}
              isGrowing={info.growth?.isOver === false}
              run={info.source.kind === 'simulation' ? info.source.run : null}
            />
          ))}
        </ul>
      </nav>
      <Tip label={t('commands.open')} keyName={openKey}>
        <button
          type="button"
          className="button ghost square"
          aria-label={t('commands.open')}
          onClick={() => run('open')}
        >
          <Icon name="plus" isSmall />
        </button>
      </Tip>
      {canJoin ? (
        <Tip label={t('commands.together')} keyName={togetherKey}>
          <button
            type="button"
            className="button ghost square"
            aria-label={t('commands.together')}
            onClick={() => run('together')}
          >
            <Icon name="together" isSmall />
          </button>
        </Tip>
      ) : null}
    </header>
  );
});

interface TraceTabProps {
  readonly trace: string;
  readonly name: string;
  readonly isDamaged: boolean;
  /** It holds sampled quantities and no blocks. */
  readonly isSampled: boolean;
  /** It is being received. */
  readonly isGrowing: boolean;
  /** What made it, when it is a simulation. */
  readonly run: RunRequest | null;
}

function TraceTab({ trace, name, isDamaged, isSampled, isGrowing, run }: TraceTabProps) {
  const { t } = useTranslation();
  const { engine } = usePlatform();
  const isActive = useStore(
    (state) => state.active === trace && !state.isSettingsOpen && state.tool === null,
  );
  const activate = useStore((state) => state.activate);
  const words = useRunWords();
  const title =
    run === null ? name : t('whatIf.simulatedFrom', { name: words.name(run), settings: words.settings(run) });
  const icon = isDamaged ? 'caution' : isSampled || isGrowing ? 'live' : run === null ? 'trace' : 'whatIf';
  return (
    <li className="tab" data-active={isActive || undefined}>
      <button
        type="button"
        className="tab-name"
        aria-current={isActive ? 'page' : undefined}
        title={title}
        onClick={() => activate(trace)}
        onAuxClick={(event) => {
          if (event.button === 1) closeTrace(engine, trace);
        }}
      >
        <Icon name={icon} isSmall />
        <span className="ellipsis">{name}</span>
        {isDamaged ? <span className="unseen">{t('frame.damagedTab')}</span> : null}
        {isGrowing ? <span className="unseen">{t('allocations.growingTab')}</span> : null}
        {run === null ? null : <span className="tab-note">{t('whatIf.simulated')}</span>}
      </button>
      <button
        type="button"
        className="tab-close"
        aria-label={t('frame.closeTab', { name })}
        onClick={() => closeTrace(engine, trace)}
      >
        <Icon name="close" isSmall />
      </button>
    </li>
  );
}
