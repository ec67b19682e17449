import { Tooltip } from '@base-ui/react/tooltip';
import { memo, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useKeyboard } from '../commands/use-commands.ts';
import { ActiveTraceProvider, useSteadyTrace } from '../state/active-trace.ts';
import { traceOfDevice } from '../state/device-view.ts';
import { useFrame } from '../state/frame.ts';
import { useRestingTrace } from '../state/resting-trace.ts';
import { DEFAULT_SETTINGS, type ToolName, type TraceState, useStore } from '../state/store.ts';
import { INSPECTOR_WIDTHS, SIDEBAR_WIDTHS } from '../state/stored-settings.ts';
import { TraceStrip, View, ViewInspector } from '../views/index.tsx';
import { Live } from '../views/live/live.tsx';
import { LiveAllocations } from '../views/live-allocations/live-allocations.tsx';
import { Readings } from '../views/readings/readings.tsx';
import { Record } from '../views/record/record.tsx';
import { Settings } from '../views/settings/settings.tsx';
import { Start } from '../views/start/start.tsx';
import { DamageBanner, EngineBanners, RefusedBanner } from './banners.tsx';
import { Dialogs } from './dialogs/dialogs.tsx';
import { DropTarget } from './drop-target.tsx';
import { GrowthBar } from './growth-bar.tsx';
import { SetBanner } from './set-banner.tsx';
import { Sidebar } from './sidebar.tsx';
import { Splitter } from './splitter.tsx';
import { TitleBar } from './title-bar.tsx';
import { type Layout, useLayout } from './use-layout.ts';
import { ViewGuard } from './view-guard.tsx';

/** The page around every view: tabs above, places at the left, what is open in the middle. */
export function Frame() {
  const { t } = useTranslation();
  const layout = useLayout();
  const resting = useRestingTrace();
  const trace = useMemo(() => (resting === null ? null : traceOfDevice(resting)), [resting]);
  const isSettingsOpen = useStore((state) => state.isSettingsOpen);
  const tool = useStore((state) => state.tool);
  const sidebarWidth = useStore((state) => state.settings.sidebarWidth);
  const updateSettings = useStore((state) => state.updateSettings);
  useKeyboard();

  return (
    <Tooltip.Provider delay={0}>
      <div
        className="frame"
        data-rail={layout.isRail || undefined}
        style={{ gridTemplateColumns: `${layout.isRail ? 48 : sidebarWidth}px minmax(0, 1fr)` }}
      >
        <TitleBar />
        <nav className="sidebar-place" aria-label={t('frame.sidebar')}>
          <Sidebar isRail={layout.isRail} />
          {layout.isRail ? null : (
            <Splitter
              label={t('frame.sidebarWidth')}
              pane="left"
              width={sidebarWidth}
              usual={DEFAULT_SETTINGS.sidebarWidth}
              {...SIDEBAR_WIDTHS}
              onChange={(width) => updateSettings({ sidebarWidth: width })}
            />
          )}
        </nav>
        <div className="content">
          <EngineBanners />
          <Content trace={trace} isSettingsOpen={isSettingsOpen} tool={tool} layout={layout} />
        </div>
      </div>
      <DropTarget />
      <Dialogs trace={isSettingsOpen || tool !== null ? null : trace} />
    </Tooltip.Provider>
  );
}

interface ContentProps {
  readonly trace: TraceState | null;
  readonly isSettingsOpen: boolean;
  readonly tool: ToolName | null;
  readonly layout: Layout;
}

function Content({ trace, isSettingsOpen, tool, layout }: ContentProps) {
  if (isSettingsOpen) return <Settings />;
  if (tool !== null) return <ToolPlace tool={tool} />;
  if (trace === null) return <Start />;
  return <TraceContent trace={trace} layout={layout} />;
}

const TOOLS = { live: Live, record: Record, allocations: LiveAllocations } as const;

/** A fault in the tool takes nothing else down. */
function ToolPlace({ tool }: { readonly tool: ToolName }) {
  const Tool = TOOLS[tool];
  return (
    <ViewGuard place={tool}>
      <Tool />
    </ViewGuard>
  );
}

function TraceContent({ trace, layout }: { readonly trace: TraceState; readonly layout: Layout }) {
  const steady = useSteadyTrace(trace);
  if (trace.view === 'readings') return <ReadingsContent trace={trace} />;
  return (
    <ActiveTraceProvider value={trace}>
      <TraceBanners trace={steady} />
      <div className="trace-place">
        <main className="view" data-view={trace.view} key={`${trace.info.trace} ${trace.view}`}>
          <ViewGuard place={`${trace.info.trace} ${trace.view}`}>
            <View view={trace.view} />
          </ViewGuard>
        </main>
        {trace.view === 'overview' ? null : <InspectorPane trace={steady} isOverlay={layout.isOverlay} />}
      </div>
      <ViewGuard place={`${trace.info.trace} strip`}>
        <TraceStrip />
      </ViewGuard>
    </ActiveTraceProvider>
  );
}

/** Sampled totals have neither strip nor inspector: both are about blocks. */
function ReadingsContent({ trace }: { readonly trace: TraceState }) {
  return (
    <ActiveTraceProvider value={trace}>
      <RefusedBanner />
      <SetBanner />
      <DamageBanner />
      <main className="view" data-view="readings" key={trace.info.trace}>
        <ViewGuard place={`${trace.info.trace} readings`}>
          <Readings />
        </ViewGuard>
      </main>
    </ActiveTraceProvider>
  );
}

/** Banners and inspector do not depend on the visible range, so they rest while it moves. */
const TraceBanners = memo(({ trace }: { readonly trace: TraceState }) => (
  <ActiveTraceProvider value={trace}>
    <RefusedBanner />
    <SetBanner />
    <GrowthBar />
    <DamageBanner />
  </ActiveTraceProvider>
));

interface InspectorPaneProps {
  readonly trace: TraceState;
  readonly isOverlay: boolean;
}

const InspectorPane = memo(({ trace, isOverlay }: InspectorPaneProps) => {
  const { t } = useTranslation();
  const width = useStore((state) => state.settings.inspectorWidth);
  const isColumnOpen = useStore((state) => state.settings.isInspectorOpen);
  const isOverlayOpen = useFrame((state) => state.isInspectorOverlayOpen);
  const updateSettings = useStore((state) => state.updateSettings);
  if (isOverlay ? !isOverlayOpen : !isColumnOpen) return null;
  return (
    <aside
      className={isOverlay ? 'inspector inspector-overlay float' : 'inspector'}
      style={{ width }}
      aria-label={t('inspector.title')}
    >
      <Splitter
        label={t('frame.inspectorWidth')}
        pane="right"
        width={width}
        usual={DEFAULT_SETTINGS.inspectorWidth}
        {...INSPECTOR_WIDTHS}
        onChange={(wanted) => updateSettings({ inspectorWidth: wanted })}
      />
      <ViewGuard place="inspector">
        <ActiveTraceProvider value={trace}>
          <ViewInspector view={trace.view} />
        </ActiveTraceProvider>
      </ViewGuard>
    </aside>
  );
});
