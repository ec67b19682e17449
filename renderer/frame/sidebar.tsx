import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { useShallow } from 'zustand/react/shallow';
import type { TraceInfo } from '../../app/contract/engine.ts';
import type { CommandId } from '../commands/commands.ts';
import { useKeyName } from '../commands/use-commands.ts';
import { Icon, type IconName } from '../design/icons.tsx';
import { useStore, VIEW_NAMES, type ViewName } from '../state/store.ts';
import { reasonAgainst, type ViewReason } from '../state/views.ts';
import { Tip } from './tip.tsx';

/** Start, the views of the active trace, and the settings; under 1200 px a rail of icons. */
export const Sidebar = memo(({ isRail }: { readonly isRail: boolean }) => {
  const { t } = useTranslation();
  const active = useStore(
    useShallow((state) => {
      const found = state.traces.find((one) => one.info.trace === state.active);
      return { info: found?.info ?? null, view: found?.view };
    }),
  );
  const isSettingsOpen = useStore((state) => state.isSettingsOpen);
  const tool = useStore((state) => (state.isSettingsOpen ? null : state.tool));
  const { activate, openSettings, openTool, update } = useStore.getState();
  const showView = (view: ViewName) => {
    if (active.info === null) return;
    activate(active.info.trace);
    update(active.info.trace, { view });
  };
  return (
    <div className="sidebar">
      <SidebarEntry
        icon="start"
        label={t('frame.start')}
        isRail={isRail}
        isActive={active.info === null && !isSettingsOpen && tool === null}
        onClick={() => activate(null)}
      />
      <h2 className={isRail ? 'unseen' : 'sidebar-heading'}>{t('frame.thisTrace')}</h2>
      {isRail ? <hr /> : null}
      {VIEW_NAMES.filter((view) => isListed(view, active.info)).map((view) => (
        <SidebarEntry
          key={view}
          icon={view}
          label={t(`views.${view}`)}
          command={view}
          isRail={isRail}
          isActive={active.view === view && !isSettingsOpen && tool === null}
          isDisabled={active.info === null}
          reason={active.info === null ? null : reasonAgainst(view, active.info)}
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
        isActive={tool === 'live' || tool === 'allocations'}
        onClick={() => openTool('live')}
      />
      <SidebarEntry
        icon="record"
        label={t('frame.record')}
        command="record"
        isRail={isRail}
        isActive={tool === 'record'}
        onClick={() => openTool('record')}
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

/** Readings are an entry of their own only where there are some. */
function isListed(view: ViewName, info: TraceInfo | null): boolean {
  return view !== 'readings' || (info !== null && reasonAgainst(view, info) === null);
}

interface SidebarEntryProps {
  readonly icon: IconName;
  readonly label: string;
  readonly command?: CommandId;
  readonly isRail: boolean;
  readonly isActive: boolean;
  readonly isDisabled?: boolean;
  /** Why there is nothing to open; the entry stays in the tab order and says so. */
  readonly reason?: ViewReason | null;
  onClick(): void;
}

function SidebarEntry(props: SidebarEntryProps) {
  const { icon, label, command, isRail, isActive, isDisabled, reason = null, onClick } = props;
  const { t } = useTranslation();
  const key = useKeyName(command ?? 'help');
  const button = (
    <button
      type="button"
      className="sidebar-entry"
      aria-current={isActive ? 'page' : undefined}
      aria-label={isRail ? label : undefined}
      disabled={isDisabled}
      aria-disabled={reason !== null || undefined}
      onClick={reason === null ? onClick : undefined}
    >
      <Icon name={icon} />
      {isRail ? null : <span>{label}</span>}
    </button>
  );
  if (reason !== null) {
    return (
      <Tip label={t(`frame.reason.${reason}`, { view: label })} side="right">
        {button}
      </Tip>
    );
  }
  if (!isRail) return button;
  return (
    <Tip label={label} side="right" {...(command === undefined ? {} : { keyName: key })}>
      {button}
    </Tip>
  );
}
