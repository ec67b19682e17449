import { useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { SimulatorInfo } from '../../../app/contract/simulation.ts';
import { howToRecord } from '../../../app/domain/how-to-record.ts';
import { ownAllocator, whyNotSimulated } from '../../../app/domain/runs.ts';
import { guideOfFormat } from '../../../app/help/record.ts';
import { DataTable } from '../../charts/data-table.tsx';
import { EmptyView } from '../../charts/empty-view.tsx';
import { TableButton } from '../../charts/table-button.tsx';
import { useRunCommand } from '../../commands/use-commands.ts';
import { Icon } from '../../design/icons.tsx';
import { usePlatform } from '../../engine/platform.ts';
import { useQuery } from '../../engine/use-query.ts';
import { QueryError } from '../../frame/query-error.tsx';
import { useLayout } from '../../frame/use-layout.ts';
import { ViewHeader } from '../../frame/view-header.tsx';
import { useFormat } from '../../i18n/use-format.ts';
import { useMomentName } from '../../i18n/use-words.ts';
import { useActiveDevice, useActiveTrace } from '../../state/active-trace.ts';
import { AddRun } from './add-run.tsx';
import { type Rows, rowsOf, sharedScale, walkOf } from './rows.ts';
import { runColumns } from './run-columns.ts';
import { RunPanels } from './run-panels.tsx';
import { RunTable } from './run-table.tsx';
import { useRunWords } from './run-words.ts';
import { cancelSweep, openRun, sweep } from './what-if-calls.ts';
import { WhatIfSentence } from './what-if-sentence.tsx';
import { changePlace, type Place, type PlaceKey, usePlace, useWhatIf } from './what-if-store.ts';
import '../../charts/charts.css';
import './what-if.css';
import { RecordLink } from '../record/record-link.tsx';

/** Would another allocator, or another setting, do better? */
export function WhatIf() {
  const { t } = useTranslation();
  const { info, device } = useActiveTrace();
  const whyNot = whyNotSimulated(useActiveDevice());
  const key = useMemo<PlaceKey>(() => ({ trace: info.trace, device }), [info.trace, device]);
  const place = usePlace(key);
  const { engine } = usePlatform();
  const { data: simulators } = useQuery('simulators', {});
  useEffect(() => {
    if (whyNot === null && place.state === 'new') void sweep(engine, key);
  }, [engine, key, whyNot, place.state]);
  if (whyNot !== null) {
    return (
      <>
        <ViewHeader title={t('whatIf.title')} sentence={t('whatIf.empty.stateTitle')} />
        <NothingToSimulate why={whyNot} />
      </>
    );
  }
  return (
    <>
      <ViewHeader
        title={t('whatIf.title')}
        sentence={<WhatIfSentence place={place} simulators={simulators ?? []} />}
        controls={<Controls placeKey={key} place={place} simulators={simulators ?? []} />}
        isBusy={place.state === 'running'}
      />
      <Progress placeKey={key} place={place} />
      {place.error === null ? null : (
        <div className="what-if-error">
          <QueryError error={place.error} />
          <button type="button" className="button" onClick={() => void sweep(engine, key)}>
            {t('whatIf.start')}
          </button>
        </div>
      )}
      {place.recording === null || simulators === null ? null : (
        <Runs placeKey={key} place={place} simulators={simulators} />
      )}
    </>
  );
}

function NothingToSimulate({ why }: { readonly why: 'states' | 'totals' }) {
  const { t } = useTranslation();
  const { info } = useActiveTrace();
  return (
    <EmptyView title={t('whatIf.empty.stateTitle')}>
      <p>{t(`whatIf.empty.${why}`)}</p>
      <pre>{howToRecord(info.format)}</pre>
      <RecordLink guide={guideOfFormat(info.format)} />
    </EmptyView>
  );
}

interface PlaceProps {
  readonly placeKey: PlaceKey;
  readonly place: Place;
}

function Controls({ placeKey, place, simulators }: PlaceProps & { simulators: readonly SimulatorInfo[] }) {
  const { t } = useTranslation();
  const run = useRunCommand();
  const { isOverlay } = useLayout();
  return (
    <>
      <TableButton />
      <AddRun placeKey={placeKey} simulators={simulators} isDisabled={place.recording === null} />
      {isOverlay ? (
        <button
          type="button"
          className="button square"
          aria-label={t('whatIf.knobs')}
          title={t('whatIf.knobs')}
          onClick={() => run('inspector')}
        >
          <Icon name="settings" />
        </button>
      ) : null}
    </>
  );
}

/** How far the runs are, and a way to stop them; after that, a way to start them. */
function Progress({ placeKey, place }: PlaceProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { engine } = usePlatform();
  if (place.state === 'stopped') {
    return (
      <div className="what-if-progress">
        <p>{t('whatIf.stopped')}</p>
        <button type="button" className="button" onClick={() => void sweep(engine, placeKey)}>
          {t('whatIf.start')}
        </button>
      </div>
    );
  }
  if (place.state !== 'running') return null;
  const { done, total } = place.progress ?? { done: 0, total: 0 };
  return (
    <div className="what-if-progress">
      <progress
        className="progress"
        aria-label={t('whatIf.running')}
        {...(total === 0 ? {} : { value: done, max: total })}
      />
      <p>{t('whatIf.progress', { done: format.count(done), total: format.count(total) })}</p>
      <button type="button" className="button" onClick={() => cancelSweep(placeKey)}>
        {t('whatIf.stop')}
      </button>
    </div>
  );
}

function Runs({ placeKey, place, simulators }: PlaceProps & { simulators: readonly SimulatorInfo[] }) {
  const { isTableOpen } = useActiveTrace();
  const { engine } = usePlatform();
  const { recording, runs, selected } = place;
  const rows = useRows(place, simulators);
  const scale = useMemo(() => sharedScale(recording, runs), [recording, runs]);
  if (recording === null) return null;
  const onSelect = (id: number) => changePlace(placeKey, { selected: id });
  const onOpen = (id: number) => void openRun(engine, placeKey, id);
  if (isTableOpen) return <TableOfRuns placeKey={placeKey} place={place} simulators={simulators} />;
  const shared = { rows, recording, scale, selected, onSelect, onOpen };
  return (
    <div className="page what-if">
      <RunTable {...shared} />
      <Refused place={place} />
      <RunPanels {...shared} />
    </div>
  );
}

function useRows({ recording, runs }: Place, simulators: readonly SimulatorInfo[]): Rows {
  const { info } = useActiveTrace();
  return useMemo(() => {
    const summaries = runs.flatMap((run) => (run.summary === null ? [] : [run.summary]));
    return rowsOf({ recording, runs }, simulators, ownAllocator(summaries, info));
  }, [recording, runs, simulators, info]);
}

/** Runs that could not start say why. */
function Refused({ place }: { readonly place: Place }) {
  const { t } = useTranslation();
  const words = useRunWords();
  if (place.refused.length === 0) return null;
  return (
    <ul className="caveats">
      {place.refused.map(({ run, message }) => (
        <li key={JSON.stringify(run)}>
          <Icon name="note" isSmall />
          <span>{t('whatIf.refused', { name: words.inSentence(run, null), message })}</span>
        </li>
      ))}
    </ul>
  );
}

/** Every number of every run; sorted by any of them, and saved. */
function TableOfRuns({ placeKey, place, simulators }: PlaceProps & { simulators: readonly SimulatorInfo[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const runWords = useRunWords();
  const { info } = useActiveTrace();
  const momentName = useMomentName(info);
  const costModel = useWhatIf((state) => state.costModel);
  const { recording } = place;
  const runs = walkOf(useRows(place, simulators));
  if (recording === null) return null;
  const columns = runColumns(runs, recording, costModel, {
    t: (key) => t(`whatIf.table.${key}`),
    runs: runWords,
    format,
    moment: (run) => (run.firstFailure === null ? '' : momentName(run.firstFailure)),
  });
  const at = runs.findIndex((run) => run.id === place.selected);
  return (
    <DataTable
      label={t('whatIf.table.label')}
      note={t('whatIf.table.note')}
      columns={columns}
      count={runs.length}
      fileName={`${info.name}-what-if`}
      selected={at < 0 ? null : at}
      onSelect={(row) => changePlace(placeKey, { selected: runs[row]?.id ?? null })}
    />
  );
}
