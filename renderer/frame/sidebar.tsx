import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { useShallow } from 'zustand/react/shallow';
import type { CommandId } from '../commands/commands.ts';
import { useKeyName } from '../commands/use-commands.ts';
import { Icon, type IconName } from '../design/icons.tsx';
import { useStore, type ViewName } from '../state/store.ts';
import { Tip } from './tip.tsx';

const VIEWS: readonly ViewName[] = ['overview', 'timeline', 'map', 'whatIf'];

/** Start, the views of the active trace, and the settings; under 1200 px a rail of icons. */
export const Sidebar = memo(({ isRail }: { readonly isRail: boolean }) => {
  const { t } = useTranslation();
  const active = useStore(
    useShallow((state) => {
      const found = state.traces.find((one) => one.info.trace === state.active);
      return { trace: found?.info.trace ?? null, view: found?.view };
    }),
  );
  const isSettingsOpen = useStore((state) => state.isSettingsOpen);
  const tool = useStore((state) => (state.isSettingsOpen ? null : state.tool));
  const { activate, openSettings, openTool, update } = useStore.getState();
  const showView = (view: ViewName) => {
    if (active.trace === null) return;
    activate(active.trace);
    update(active.trace, { view });
  };
  return (
    <div className="sidebar">
      <SidebarEntry
        icon="start"
        label={t('frame.start')}
        isRail={isRail}
        isActive={active.trace === null && !isSettingsOpen && tool === null}
        onClick={() => activate(null)}
      />
      <h2 className={isRail ? 'unseen' : 'sidebar-heading'}>{t('frame.thisTrace')}</h2>
      {isRail ? <hr /> : null}
      {VIEWS.map((view) => (
        <SidebarEntry
          key={view}
          icon={view}
          label={t(`views.${view}`)}
          command={view}
          isRail={isRail}
          isActive={active.view === view && !isSettingsOpen && tool === null}
          isDisabled={active.trace === null}
          onClick={() => showView(view)}
        />
      ))}
      <h2 className={isRail ? 'unseen' : 'sidebar-heading'}>{t('frame.tools')}</h2>
      {isRail ? <hr /> : null}
      <SidebarEntry
        icon="live"
        label={t('views.live')}
        command="live"
        isRail={isRail}
        isActive={tool === 'live'}
        onClick={() => openTool('live')}
      />
      <div className="sidebar-space" />
      <SidebarEntry
        icon="settings"
        label={t('frame.settings')}
        command="settings"
        isRail={isRail}
        isActive={isSettingsOpen}
        onClick={openSettings}
      />
    </div>
  );
});

interface SidebarEntryProps {
  readonly icon: IconName;
  readonly label: string;
  readonly command?: CommandId;
  readonly isRail: boolean;
  readonly isActive: boolean;
  readonly isDisabled?: boolean;
  onClick(): void;
}

function SidebarEntry({ icon, label, command, isRail, isActive, isDisabled, onClick }: SidebarEntryProps) {
  const key = useKeyName(command ?? 'help');
  const button = (
    <button
      type="button"
      className="sidebar-entry"
      aria-current={isActive ? 'page' : undefined}
      aria-label={isRail ? label : undefined}
      disabled={isDisabled}
      onClick={onClick}
    >
      <Icon name={icon} />
      {isRail ? null : <span>{label}</span>}
    </button>
  );
  if (!isRail) return button;
  return (
    <Tip label={label} side="right" {...(command === undefined ? {} : { keyName: key })}>
      {button}
    </Tip>
  );
}
