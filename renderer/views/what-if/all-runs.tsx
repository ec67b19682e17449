import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { COSTED_CALLS } from '../../../app/domain/cost-model.ts';
import { capacityKind, type Recording } from '../../../app/domain/runs.ts';
import { parseSize, typedSize } from '../../../app/domain/size.ts';
import { Choice } from '../../design/choice.tsx';
import { usePlatform } from '../../engine/platform.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { setCapacity } from './what-if-calls.ts';
import {
  type CapacityChoice,
  hasOwnCosts,
  type Place,
  type PlaceKey,
  resetCosts,
  setCost,
  useWhatIf,
} from './what-if-store.ts';

/** What holds for every run: the device they run on, and what its driver's calls cost. */
export function AllRuns({ placeKey, place }: { readonly placeKey: PlaceKey; readonly place: Place }) {
  const { t } = useTranslation();
  return (
    <section className="all-runs">
      <h2>{t('whatIf.inspector.all')}</h2>
      <Capacity placeKey={placeKey} choice={place.capacity} recording={place.recording} />
      <Costs />
    </section>
  );
}

interface CapacityProps {
  readonly placeKey: PlaceKey;
  readonly choice: CapacityChoice;
  readonly recording: Recording | null;
}

function Capacity({ placeKey, choice, recording }: CapacityProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { engine } = usePlatform();
  const id = useId();
  const [kind, setKind] = useState(choice.kind);
  const start = choice.kind === 'given' ? choice.bytes : (recording?.capacity ?? recording?.peakReserved);
  const [text, setText] = useState(() => (start === undefined ? '' : typedSize(start)));
  const bytes = parseSize(text);
  const choose = (wanted: CapacityChoice['kind']) => {
    setKind(wanted);
    if (wanted !== 'given') setCapacity(engine, placeKey, { kind: wanted });
  };
  const give = () => {
    if (bytes === null || (choice.kind === 'given' && choice.bytes === bytes)) return;
    setCapacity(engine, placeKey, { kind: 'given', bytes });
  };
  return (
    <div className="capacity">
      <div className="knob">
        <span id={id} className="knob-label">
          {t('whatIf.inspector.capacity')}
        </span>
        <Choice
          value={kind}
          labelId={id}
          options={[
            { value: 'recorded', label: t('whatIf.inspector.capacityRecorded') },
            { value: 'unlimited', label: t('whatIf.inspector.capacityUnlimited') },
            { value: 'given', label: t('whatIf.inspector.capacityGiven') },
          ]}
          onChange={choose}
        />
      </div>
      {kind === 'given' ? (
        <form
          className="capacity-given"
          onSubmit={(event) => {
            event.preventDefault();
            give();
          }}
        >
          <input
            className="field"
            aria-label={t('whatIf.inspector.capacitySize')}
            aria-invalid={bytes === null}
            placeholder={t('whatIf.inspector.capacityHint')}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <button type="submit" className="button" disabled={bytes === null}>
            {t('whatIf.start')}
          </button>
          {bytes === null ? <p className="knob-fault">{t('whatIf.inspector.capacityBad')}</p> : null}
        </form>
      ) : null}
      {recording === null ? null : (
        <p className="caption">
          {t(`whatIf.inspector.capacityIs.${capacityKind(recording)}`, {
            bytes: recording.capacity === null ? '' : format.bytes(recording.capacity),
          })}
        </p>
      )}
    </div>
  );
}

const NANOSECONDS_PER_MICROSECOND = 1000;

/** The cost model; a change counts at once, because it needs no other simulation. */
function Costs() {
  const { t } = useTranslation();
  const model = useWhatIf((state) => state.costModel);
  return (
    <div className="costs">
      <div className="inspector-head">
        <h3>{t('whatIf.inspector.costs')}</h3>
        {hasOwnCosts(model) ? (
          <button type="button" className="button ghost" onClick={resetCosts}>
            {t('whatIf.inspector.resetAll')}
          </button>
        ) : null}
      </div>
      <div className="costs-fields">
        {COSTED_CALLS.map((call) => (
          <CostField
            key={call}
            label={t(`whatIf.inspector.call.${call}`)}
            nanoseconds={model[call]}
            onChange={(nanoseconds) => setCost(call, nanoseconds)}
          />
        ))}
      </div>
      <p className="caption">{t('whatIf.inspector.costsWhy')}</p>
    </div>
  );
}

interface CostFieldProps {
  readonly label: string;
  readonly nanoseconds: number;
  onChange(nanoseconds: number): void;
}

function CostField({ label, nanoseconds, onChange }: CostFieldProps) {
  const { t } = useTranslation();
  const shown = String(nanoseconds / NANOSECONDS_PER_MICROSECOND);
  const [text, setText] = useState<string | null>(null);
  const read = (written: string) => {
    setText(written);
    const value = Number(written.trim().replace(',', '.'));
    if (written.trim() !== '' && Number.isFinite(value) && value >= 0) {
      onChange(value * NANOSECONDS_PER_MICROSECOND);
    }
  };
  return (
    <label className="cost">
      <span>{label}</span>
      <span className="cost-field">
        <input
          className="field"
          inputMode="decimal"
          aria-label={t('whatIf.inspector.microseconds', { call: label })}
          value={text ?? shown}
          onChange={(event) => read(event.target.value)}
          onBlur={() => setText(null)}
        />
        <span aria-hidden="true">µs</span>
      </span>
    </label>
  );
}
