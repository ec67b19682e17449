import { useId, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunRequest, RunSummary, SimulatorInfo } from '../../../app/contract/simulation.ts';
import { isPyTorch, settingsText, withoutDefaults } from '../../../app/domain/runs.ts';
import { Emphasis } from '../../charts/emphasis.tsx';
import { Choice } from '../../design/choice.tsx';
import { Icon } from '../../design/icons.tsx';
import { usePlatform } from '../../engine/platform.ts';
import { useQuery } from '../../engine/use-query.ts';
import { CopyButton } from '../../frame/copy-button.tsx';
import { QueryError } from '../../frame/query-error.tsx';
import { useFormat } from '../../i18n/use-format.ts';
import { useMomentName } from '../../i18n/use-words.ts';
import { useActiveDevice, useActiveTrace } from '../../state/active-trace.ts';
import { AgainstRecording } from './against-recording.tsx';
import { AllRuns } from './all-runs.tsx';
import { KnobField } from './knob-field.tsx';
import { sharedScale } from './rows.ts';
import { RunPicture } from './run-panel.tsx';
import { simulatorOf, useRunWords } from './run-words.ts';
import { addRun, openRun, removeRun, runAgain, setDraft } from './what-if-calls.ts';
import { type Place, type PlaceKey, type RunEntry, usePlace } from './what-if-store.ts';
import './run-inspector.css';

/** The selected run: its knobs, its numbers against the recording, and what it cannot know. */
export function RunInspector() {
  const { t } = useTranslation();
  const { info, device } = useActiveTrace();
  const { events } = useActiveDevice();
  const key: PlaceKey = { trace: info.trace, device };
  const place = usePlace(key);
  const { data: simulators } = useQuery('simulators', {});
  const run = place.runs.find((one) => one.id === place.selected);
  return (
    <div className="inspector-body run-inspector">
      {run === undefined || simulators === null ? (
        <section>
          <h2 className="caption">{t('whatIf.inspector.title')}</h2>
          <p className="small quiet">
            {t(events === 0 ? 'whatIf.empty.stateTitle' : 'whatIf.inspector.none')}
          </p>
        </section>
      ) : (
        <>
          <SelectedRun key={run.id} placeKey={key} place={place} run={run} simulators={simulators} />
          {run.summary === null || place.recording === null ? null : (
            <AgainstRecording summary={run.preview ?? run.summary} recording={place.recording} />
          )}
          <Caveats place={place} summary={run.summary} />
        </>
      )}
      {events === 0 ? null : <AllRuns key={`${info.trace} ${device}`} placeKey={key} place={place} />}
    </div>
  );
}

interface RunProps {
  readonly placeKey: PlaceKey;
  readonly place: Place;
  readonly run: RunEntry;
  readonly simulators: readonly SimulatorInfo[];
}

function SelectedRun({ placeKey, place, run, simulators }: RunProps) {
  const { t } = useTranslation();
  const { engine } = usePlatform();
  const words = useRunWords();
  const { recording, runs } = place;
  const scale = useMemo(() => sharedScale(recording, runs), [recording, runs]);
  const wanted = run.draft ?? run.request;
  const simulator = simulatorOf(simulators, wanted.allocator);
  const conf = isPyTorch(wanted.allocator) ? settingsText(wanted) : '';
  const change = (request: RunRequest) =>
    setDraft(engine, placeKey, run.id, withoutDefaults(request, simulatorOf(simulators, request.allocator)));
  return (
    <section className="selected-run">
      <h2 className="caption">{t('whatIf.inspector.title')}</h2>
      <div className="run-title-row">
        <p className="run-title">{words.name(wanted)}</p>
        {conf === '' ? null : <CopyButton label={t('whatIf.inspector.copyConf')} text={() => conf} />}
      </div>
      <p className="caption">{words.caption(wanted.allocator)}</p>
      {run.summary === null || recording === null ? null : (
        <RunPicture
          request={run.request}
          summary={run.summary}
          preview={run.preview}
          recording={recording}
          scale={scale}
        />
      )}
      {simulator?.isModel ? <p className="caption">{t('whatIf.modelWhy')}</p> : null}
      <Knobs run={wanted} simulator={simulator} simulators={simulators} onChange={change} />
      <Actions placeKey={placeKey} run={run} />
      <DraftWords run={run} />
      {run.error === null ? null : <QueryError error={run.error} />}
    </section>
  );
}

interface KnobsProps {
  readonly run: RunRequest;
  readonly simulator: SimulatorInfo | undefined;
  readonly simulators: readonly SimulatorInfo[];
  onChange(run: RunRequest): void;
}

function Knobs({ run, simulator, simulators, onChange }: KnobsProps) {
  const { t } = useTranslation();
  const words = useRunWords();
  const id = useId();
  const knobs = simulator?.knobs ?? [];
  return (
    <fieldset className="knobs" aria-label={t('whatIf.knobs')}>
      <div className="knob" data-wide="true">
        <span id={id} className="knob-label">
          {t('whatIf.inspector.allocator')}
        </span>
        <Choice
          value={run.allocator}
          labelId={id}
          options={simulators.map(({ name }) => ({ value: name, label: words.allocator(name) }))}
          onChange={(allocator) => onChange({ allocator, settings: {} })}
        />
      </div>
      {knobs.length === 0 ? (
        <p className="caption">{t('whatIf.inspector.noKnobs')}</p>
      ) : (
        <div className="inspector-head">
          <h3>{t('whatIf.table.settings')}</h3>
          {Object.keys(run.settings).length === 0 ? null : (
            <button type="button" className="button ghost" onClick={() => onChange({ ...run, settings: {} })}>
              {t('whatIf.inspector.resetAll')}
            </button>
          )}
        </div>
      )}
      {knobs.map((knob) => (
        <KnobField
          key={`${run.allocator} ${knob.name}`}
          knob={knob}
          allocator={run.allocator}
          value={run.settings[knob.name] ?? knob.initial}
          onChange={(value) => onChange({ ...run, settings: { ...run.settings, [knob.name]: value } })}
        />
      ))}
    </fieldset>
  );
}

interface ActionsProps {
  readonly placeKey: PlaceKey;
  readonly run: RunEntry;
}

function Actions({ placeKey, run }: ActionsProps) {
  const { t } = useTranslation();
  const { engine } = usePlatform();
  const { opening } = usePlace(placeKey);
  const wanted = run.draft ?? run.request;
  const canRun = run.draft !== null || run.summary === null;
  return (
    <div className="run-actions">
      <button
        type="button"
        className={canRun ? 'button primary' : 'button'}
        disabled={!canRun}
        onClick={() => void runAgain(engine, placeKey, run.id)}
      >
        <Icon name="again" isSmall />
        {t('whatIf.inspector.runAgain')}
      </button>
      <button
        type="button"
        className="button"
        disabled={run.summary === null || opening !== null}
        onClick={() => void openRun(engine, placeKey, run.id)}
      >
        <Icon name="whatIf" isSmall />
        {opening === run.id ? t('whatIf.inspector.opening') : t('whatIf.inspector.open')}
      </button>
      <button type="button" className="button" onClick={() => addRun(engine, placeKey, wanted)}>
        {t('whatIf.inspector.duplicate')}
      </button>
      {run.isAdded ? (
        <button type="button" className="button" onClick={() => removeRun(placeKey, run.id)}>
          {t('whatIf.inspector.remove')}
        </button>
      ) : null}
    </div>
  );
}

/** What the changed knobs come to, before they are taken. */
function DraftWords({ run }: { readonly run: RunEntry }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { info } = useActiveTrace();
  const momentName = useMomentName(info);
  const { draft, preview, summary } = run;
  if (draft === null || run.error !== null) return null;
  if (preview === null || summary === null) return <p className="small">{t('whatIf.inspector.draftBusy')}</p>;
  if (preview.firstFailure !== null && summary.firstFailure === null) {
    const moment = momentName(preview.firstFailure);
    return <p className="small critical-text">{t('whatIf.inspector.draftFailed', { moment })}</p>;
  }
  const difference = preview.peakReserved - summary.peakReserved;
  const values = { peak: format.bytes(preview.peakReserved), difference: format.difference(difference) };
  return (
    <p className="small" role="status">
      <Emphasis
        text={
          difference === 0 ? t('whatIf.inspector.draftSame', values) : t('whatIf.inspector.draft', values)
        }
      />
    </p>
  );
}

/** Why a real run might show other numbers, each a sentence. */
function Caveats({ place, summary }: { readonly place: Place; readonly summary: RunSummary | null }) {
  const { t } = useTranslation();
  if (summary === null) return null;
  return (
    <section>
      <h2>{t('whatIf.inspector.caveats')}</h2>
      <ul className="caveats">
        <Reproduction place={place} />
        {summary.caveats.map(({ code, count }) => (
          <li key={code}>
            <Icon name="note" isSmall />
            <span>{t(`whatIf.caveat.${code}`, { count })}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Whether the same model with the recorded settings does what the recording did: the ground all runs stand on. */
function Reproduction({ place }: { readonly place: Place }) {
  const { t } = useTranslation();
  const format = useFormat();
  const replay = place.runs.find((run) => run.summary !== null && run.summary.reproduces !== null);
  const reproduces = replay?.summary?.reproduces ?? null;
  if (reproduces === null) return null;
  const { placements, matched } = reproduces;
  const isWhole = placements === matched;
  return (
    <li title={t('whatIf.reproduces.why')}>
      <Icon name={isWhole ? 'good' : 'caution'} isSmall />
      <span>
        {isWhole
          ? t('whatIf.reproduces.all', { count: placements })
          : t('whatIf.reproduces.some', {
              matched: format.count(matched),
              placements: format.count(placements),
            })}
      </span>
    </li>
  );
}
