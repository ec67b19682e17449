import { type KeyboardEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { RegionName } from '../../../app/contract/engine.ts';
import type { RunSummary } from '../../../app/contract/simulation.ts';
import { countCalls, estimateCost } from '../../../app/domain/cost-model.ts';
import type { Recording } from '../../../app/domain/runs.ts';
import { goToEvent } from '../../commands/cursor.ts';
import { useRunCommand } from '../../commands/use-commands.ts';
import { Icon } from '../../design/icons.tsx';
import { usePlatform } from '../../engine/platform.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useMomentName } from '../../i18n/use-words.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import { isFragmented } from '../../state/findings.ts';
import { PeakBar } from './peak-bar.tsx';
import { fragmentationAtPeak, GROUPS, type Rows, type SharedScale, walkOf } from './rows.ts';
import { regionOfRun, useRunWords } from './run-words.ts';
import { type RunEntry, useWhatIf } from './what-if-store.ts';

interface Props {
  readonly rows: Rows;
  readonly recording: Recording;
  readonly scale: SharedScale;
  readonly selected: number | null;
  onSelect(id: number): void;
  onOpen(id: number): void;
}

/** At most, which is what a row over all of them spans. */
const COLUMNS = 9;

/** The runs, best first. Arrow keys walk them, Enter opens one as a trace. */
export function RunTable(props: Props) {
  const { rows, recording, selected, onSelect, onOpen } = props;
  const { t } = useTranslation();
  const body = useRef<HTMLTableElement>(null);
  const walk = walkOf(rows);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = walk.findIndex((run) => run.id === selected);
    if (event.key === 'Enter' && selected !== null && isRunButton(event.target)) {
      event.preventDefault();
      onOpen(selected);
      return;
    }
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, Home: -walk.length, End: walk.length };
    const step = steps[event.key];
    const next = walk[Math.min(walk.length - 1, Math.max(0, at + (step ?? 0)))];
    if (step === undefined || next === undefined) return;
    event.preventDefault();
    onSelect(next.id);
    body.current?.querySelector<HTMLElement>(`[data-run="${next.id}"]`)?.focus();
  };
  const hasFailures = walk.some((run) => run.summary?.firstFailure) || recording.firstFailure !== null;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys come from the buttons within
    <div className="run-table-place" onKeyDown={onKeyDown}>
      <table className="run-table" ref={body} aria-label={t('whatIf.table.label')}>
        <thead>
          <tr>
            <th scope="col">{t('whatIf.table.allocator')}</th>
            <th scope="col" colSpan={2} className="run-peak-head">
              {t('whatIf.table.peak')}
            </th>
            <th scope="col">{t('whatIf.table.against')}</th>
            <th scope="col" data-minor="2">
              {t('whatIf.table.free')}
            </th>
            <th scope="col" data-minor="3">
              {t('whatIf.table.hole')}
            </th>
            <th scope="col" data-minor="2">
              {t('whatIf.table.fragmentation')}
            </th>
            <th scope="col" data-minor="1">
              {t('whatIf.table.calls')}
            </th>
            {hasFailures ? <th scope="col">{t('whatIf.table.failed')}</th> : null}
          </tr>
        </thead>
        <tbody>
          {rows.recording === null ? null : <RecordingRow {...props} hasFailures={hasFailures} />}
          {rows.replays.map((run) => (
            <RunRow key={run.id} {...props} run={run} hasFailures={hasFailures} />
          ))}
        </tbody>
        {GROUPS.filter((group) => rows[group].length > 0).map((group) => (
          <tbody key={group}>
            <tr className="run-group">
              <th scope="rowgroup" colSpan={COLUMNS} title={group === 'models' ? t('whatIf.modelWhy') : ''}>
                {t(`whatIf.group.${group}`)}
              </th>
            </tr>
            {rows[group].map((run) => (
              <RunRow key={run.id} {...props} run={run} hasFailures={hasFailures} />
            ))}
          </tbody>
        ))}
      </table>
      <Legend hasLimit={recording.capacity !== null} hasDraft={walk.some((run) => run.preview !== null)} />
    </div>
  );
}

const isRunButton = (target: EventTarget) =>
  target instanceof HTMLElement && target.dataset['run'] !== undefined;

/** What was recorded, where no run has its settings. */
function RecordingRow({ recording, scale, hasFailures }: Props & { readonly hasFailures: boolean }) {
  const { t } = useTranslation();
  return (
    <tr>
      <th scope="row">
        <span className="run-name">{t('whatIf.recording')}</span>
        <span className="run-caption">
          {t(recording.isReservedKnown ? 'whatIf.recordingWhy' : 'whatIf.blocksAlone')}
        </span>
      </th>
      <Numbers
        run={recording}
        recording={recording}
        scale={scale}
        preview={null}
        region="pooled"
        hasFailures={hasFailures}
      />
    </tr>
  );
}

interface RowProps extends Props {
  readonly run: RunEntry;
  readonly hasFailures: boolean;
}

function RunRow({ run, recording, scale, selected, hasFailures, onSelect, onOpen }: RowProps) {
  const { t } = useTranslation();
  const words = useRunWords();
  const { summary, preview, request } = run;
  const isSelected = run.id === selected;
  return (
    <tr
      data-selected={isSelected || undefined}
      onClick={() => onSelect(run.id)}
      onDoubleClick={() => onOpen(run.id)}
    >
      <th scope="row">
        <button
          type="button"
          className="run-button"
          data-run={run.id}
          aria-pressed={isSelected}
          tabIndex={isSelected ? 0 : -1}
        >
          <span className="run-name">{words.name(request)}</span>
          <span className="run-caption">
            <RunCaption run={run} />
          </span>
        </button>
      </th>
      {summary === null ? (
        <td colSpan={COLUMNS - 1} className="run-waiting">
          {run.error === null ? t('whatIf.table.busy') : run.error.message}
        </td>
      ) : (
        <Numbers
          run={summary}
          recording={recording}
          scale={scale}
          preview={preview}
          region={regionOfRun(request)}
          hasFailures={hasFailures}
        />
      )}
    </tr>
  );
}

/** The settings; of the recorded ones, whether they reproduce the recording. */
function RunCaption({ run }: { readonly run: RunEntry }) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useRunWords();
  const reproduces = run.summary?.reproduces ?? null;
  if (reproduces === null) return words.settings(run.request);
  const { placements, matched } = reproduces;
  const isWhole = placements === matched;
  return (
    <span className={isWhole ? 'good-text' : 'caution-text'} title={t('whatIf.reproduces.why')}>
      <Icon name={isWhole ? 'good' : 'caution'} isSmall />
      {isWhole
        ? t('whatIf.reproduces.short')
        : t('whatIf.reproduces.shortSome', {
            matched: format.count(matched),
            placements: format.count(placements),
          })}
    </span>
  );
}

interface NumbersProps {
  readonly run: Recording | RunSummary;
  readonly recording: Recording;
  readonly scale: SharedScale;
  readonly preview: RunSummary | null;
  readonly region: RegionName;
  readonly hasFailures: boolean;
}

function Numbers({ run, recording, scale, preview, region, hasFailures }: NumbersProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { info } = useActiveTrace();
  const momentName = useMomentName(info);
  const callsWords = useCallsWords();
  const costModel = useWhatIf((state) => state.costModel);
  const difference = run.peakReserved - recording.peakReserved;
  const cost = estimateCost(run.calls, costModel);
  const tone = difference === 0 ? 'faint' : difference < 0 ? 'good-text' : 'caution-text';
  return (
    <>
      <td className="run-bar-cell">
        <PeakBar
          run={run}
          preview={preview}
          scale={scale}
          region={region}
          title={t('whatIf.table.barWhy', {
            active: format.bytes(run.activeAtPeak),
            free: format.bytes(run.freeAtPeak),
            peak: format.bytes(run.peakReserved),
            moment: momentName(run.peakReservedAt),
          })}
        />
      </td>
      <td title={format.exact(run.peakReserved)}>
        <b>{format.bytes(run.peakReserved)}</b>
      </td>
      <td className={tone} title={format.exact(difference)}>
        {difference === 0 ? t('whatIf.table.same') : format.difference(difference)}
      </td>
      <td data-minor="2" title={format.exact(run.freeAtPeak)}>
        {format.bytes(run.freeAtPeak)}
      </td>
      <td data-minor="3" title={format.exact(run.largestFreeAtPeak)}>
        {format.bytes(run.largestFreeAtPeak)}
      </td>
      <Fragmentation run={run} />
      <td data-minor="1" title={callsWords(run.calls)}>
        {format.count(countCalls(run.calls))}
        <span className="run-cost" title={t('whatIf.table.costWhy')}>
          ≈ {format.duration(cost)}
        </span>
      </td>
      {hasFailures ? <Failure run={run} /> : null}
    </>
  );
}

/** How many calls of each kind there were. */
function useCallsWords(): (calls: RunSummary['calls']) => string {
  const { t } = useTranslation();
  const format = useFormat();
  return (calls) =>
    t('whatIf.table.callsWhy', {
      allocate: format.count(calls.allocate),
      free: format.count(calls.free),
      reserve: format.count(calls.reserve),
      map: format.count(calls.map),
      unmap: format.count(calls.unmap),
      synchronize: format.count(calls.synchronize),
      refused: format.count(calls.refused),
    });
}

function Fragmentation({ run }: { readonly run: Recording | RunSummary }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { info } = useActiveTrace();
  const momentName = useMomentName(info);
  const value = fragmentationAtPeak(run);
  const highest = run.peakFragmentation;
  if (value === null) return <td data-minor="2" title={t('whatIf.table.nothingFree')} />;
  return (
    <td
      data-minor="2"
      className={isFragmented(value, run.freeAtPeak, run.peakReserved) ? 'caution-text' : undefined}
      title={t('whatIf.table.fragmentationWhy', {
        highest: highest === null ? '' : format.percent(highest.value),
        moment: highest === null ? '' : momentName(highest.at),
      })}
    >
      {format.percent(value)}
    </td>
  );
}

/** When the first request failed; it can be seen on the timeline of the recording. */
function Failure({ run }: { readonly run: Recording | RunSummary }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { info } = useActiveTrace();
  const { engine } = usePlatform();
  const command = useRunCommand();
  const momentName = useMomentName(info);
  const { firstFailure } = run;
  if (firstFailure === null) return <td title={t('whatIf.table.survives')} />;
  const why = t('whatIf.table.failedWhy', {
    asked: format.bytes(firstFailure.requested),
    free: format.bytes(firstFailure.free),
    hole: format.bytes(firstFailure.largestFree),
  });
  return (
    <td>
      <button
        type="button"
        className="moment run-failed"
        title={`${why} ${t('whatIf.table.toFailure')}.`}
        tabIndex={-1}
        onClick={() => {
          goToEvent(engine, info.trace, firstFailure.event);
          command('timeline');
        }}
      >
        <Icon name="failure" isSmall />
        {momentName(firstFailure)}
      </button>
    </td>
  );
}

function Legend({ hasLimit, hasDraft }: { readonly hasLimit: boolean; readonly hasDraft: boolean }) {
  const { t } = useTranslation();
  return (
    <ul className="run-legend" aria-label={t('whatIf.legend.label')}>
      <li>
        <i className="swatch fill-pooled" />
        <i className="swatch fill-virtual" />
        {t('whatIf.legend.active')}
      </li>
      <li>
        <i className="swatch fill-cached" />
        {t('whatIf.legend.free')}
      </li>
      <li>
        <i className="run-key run-key-peak" />
        {t('whatIf.legend.peak')}
      </li>
      <li>
        <i className="run-key run-key-floor" />
        {t('whatIf.legend.floor')}
      </li>
      {hasLimit ? (
        <li>
          <i className="run-key run-key-limit" />
          {t('whatIf.legend.limit')}
        </li>
      ) : null}
      <li>
        <i className="run-key run-key-recorded" />
        {t('whatIf.legend.recorded')}
      </li>
      {hasDraft ? (
        <li>
          <i className="run-key run-key-draft" />
          {t('whatIf.legend.draft')}
        </li>
      ) : null}
    </ul>
  );
}
