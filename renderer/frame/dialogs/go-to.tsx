import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { goToEvent, lastEvent } from '../../commands/cursor.ts';
import { usePlatform } from '../../engine/platform.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useActiveTrace, useUpdateTrace } from '../../state/active-trace.ts';
import { useFrame } from '../../state/frame.ts';
import { asEngineError } from '../../state/openings.ts';
import { parseTarget, type Target } from './go-to-target.ts';

/** Sets the cursor to a time or an event, or selects what lies at an address at the cursor. */
export function GoTo() {
  const { t } = useTranslation();
  const format = useFormat();
  const { engine } = usePlatform();
  const state = useActiveTrace();
  const update = useUpdateTrace();
  const close = () => useFrame.getState().openDialog(null);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const id = useId();
  const { info, device, cursor } = state;
  const onDevice = { trace: info.trace, device };

  const goToAddress = async (target: Target & { readonly kind: 'address' }) => {
    const hit = await engine.call('hit', { ...onDevice, event: cursor, address: target.address });
    if (hit.kind === 'unmapped') {
      setProblem(t('goTo.unmapped', { address: target.address }));
      return;
    }
    const { region } = await engine.call('segment', { ...onDevice, segment: hit.segment });
    const selection =
      hit.kind === 'block'
        ? ({ kind: 'block', block: hit.block } as const)
        : ({ kind: 'segment', segment: hit.segment } as const);
    update({ selection, mapRegion: region, view: 'map' });
    close();
  };

  const go = async (target: Target) => {
    if (target.kind === 'address') return goToAddress(target);
    if (target.kind === 'time' && !info.hasClock) return setProblem(t('goTo.noClock'));
    const last = lastEvent(state);
    if (target.kind === 'event' && target.event > last) {
      return setProblem(t('goTo.noEvent', { last: format.count(last) }));
    }
    const event =
      target.kind === 'event'
        ? target.event
        : await engine.call('eventAt', { ...onDevice, time: Math.min(target.time, info.durationNs) });
    goToEvent(engine, info.trace, event);
    close();
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const target = parseTarget(text);
    if (target === null) setProblem(t('goTo.unclear'));
    else go(target).catch((error: unknown) => setProblem(asEngineError(error).message));
  };

  return (
    <form className="go-to" onSubmit={submit}>
      <label htmlFor={id}>{info.hasClock ? t('goTo.label') : t('goTo.labelWithoutClock')}</label>
      <div className="go-to-row">
        <input
          id={id}
          className="field mono"
          autoComplete="off"
          spellCheck={false}
          placeholder={info.hasClock ? '12.5 ms' : '120'}
          value={text}
          aria-invalid={problem !== ''}
          aria-describedby={`${id}-problem`}
          onChange={(event) => {
            setText(event.target.value);
            setProblem('');
          }}
        />
        <button type="submit" className="button primary">
          {t('goTo.go')}
        </button>
      </div>
      <p id={`${id}-problem`} className="small go-to-problem" role="alert">
        {problem}
      </p>
      <p className="caption">{t('goTo.examples')}</p>
    </form>
  );
}
