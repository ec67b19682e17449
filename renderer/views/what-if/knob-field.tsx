import { useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { KnobInfo } from '../../../app/contract/simulation.ts';
import { Choice } from '../../design/choice.tsx';
import { Icon } from '../../design/icons.tsx';
import { useFormat } from '../../i18n/use-format.ts';
import { faultOf, type KnobFault, knobArgument, knobText } from './knob-value.ts';
import { flagText, isFlagOn, useRunWords } from './run-words.ts';

interface Props {
  readonly knob: KnobInfo;
  readonly allocator: string;
  /** As the run has it; the knob's default where it is not set. */
  readonly value: string;
  onChange(value: string): void;
}

/** One setting, named as in its allocator, with its default and a way back to it. */
export function KnobField({ knob, allocator, value, onChange }: Props) {
  const { t } = useTranslation();
  const words = useRunWords();
  const id = useId();
  const isDefault = value === knob.initial;
  const label = words.knob(knob.name);
  return (
    <div
      className="knob"
      data-changed={!isDefault || undefined}
      data-wide={knob.kind === 'text' || undefined}
    >
      <span id={id} className="knob-label">
        {label ?? <code>{knob.name}</code>}
      </span>
      <span className="knob-control">
        {isDefault ? null : (
          <button
            type="button"
            className="button ghost knob-reset"
            aria-label={t('whatIf.inspector.reset', { name: knob.name })}
            title={t('whatIf.inspector.reset', { name: knob.name })}
            onClick={() => onChange(knob.initial)}
          >
            <Icon name="again" isSmall />
          </button>
        )}
        <KnobControl knob={knob} allocator={allocator} value={value} onChange={onChange} labelId={id} />
      </span>
      <span className="knob-caption">
        {label === null ? <span /> : <code>{knob.name}</code>}
        <span>
          {t('whatIf.inspector.default', {
            value: words.value(knob, knobText(knob, knob.initial)),
          })}
        </span>
      </span>
    </div>
  );
}

function KnobControl({ knob, allocator, value, onChange, labelId }: Props & { readonly labelId: string }) {
  if (knob.kind === 'flag') {
    const isOn = isFlagOn(value);
    return (
      <button
        type="button"
        role="switch"
        className="switch"
        aria-checked={isOn}
        aria-labelledby={labelId}
        onClick={() => {
          const text = flagText(allocator, !isOn);
          onChange(isFlagOn(text) === isFlagOn(knob.initial) ? knob.initial : text);
        }}
      >
        <i />
      </button>
    );
  }
  if (knob.kind === 'choice') {
    return (
      <Choice
        value={value}
        labelId={labelId}
        options={knob.choices.map((choice) => ({ value: choice, label: choice }))}
        onChange={onChange}
      />
    );
  }
  return <TextKnob knob={knob} allocator={allocator} value={value} onChange={onChange} labelId={labelId} />;
}

/** Told to the run as it is typed, as long as it can be right. */
function TextKnob({ knob, value, onChange, labelId }: Props & { readonly labelId: string }) {
  const { t } = useTranslation();
  const faultWords = useFaultWords();
  const faultId = useId();
  const shown = knobText(knob, value);
  const [text, setText] = useState(shown);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed stands until the run has another value
  useEffect(() => {
    if (knobArgument(knob, text) !== value) setText(shown);
  }, [value]);
  const fault = faultOf(knob, text);
  const change = (written: string) => {
    setText(written);
    if (faultOf(knob, written) !== null) return;
    const argument = knobArgument(knob, written);
    onChange(argument === '' ? knob.initial : argument);
  };
  return (
    <span className="knob-text">
      <input
        className="field"
        aria-labelledby={labelId}
        aria-invalid={fault !== null}
        aria-describedby={fault === null ? undefined : faultId}
        value={text}
        placeholder={knob.initial === '' ? t('whatIf.inspector.notSet') : undefined}
        spellCheck={false}
        onChange={(event) => change(event.target.value)}
      />
      {fault === null ? null : (
        <span id={faultId} className="knob-fault" role="alert">
          {faultWords(fault, knob)}
        </span>
      )}
    </span>
  );
}

/** What is wrong with the text, in words. */
function useFaultWords(): (fault: KnobFault, knob: KnobInfo) => string {
  const { t } = useTranslation();
  const format = useFormat();
  return (fault, knob) => {
    const write = (value: number) => (knob.kind === 'bytes' ? format.bytes(value) : String(value));
    if (fault.kind === 'least') return t('whatIf.inspector.atLeast', { least: write(fault.least) });
    if (fault.kind === 'most') return t('whatIf.inspector.atMost', { most: write(fault.most) });
    return t(`whatIf.inspector.${fault.kind}`);
  };
}
