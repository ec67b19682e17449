import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useShallow } from 'zustand/react/shallow';
import { usePlatform } from '../../engine/platform.ts';
import { useProducerWords } from '../../i18n/use-producer-words.ts';
import { useFrame } from '../../state/frame.ts';
import { filesOf, knownFile, openFile, togetherAs } from '../../state/openings.ts';
import { useStore } from '../../state/store.ts';

/** Puts open traces together as one more trace. */
export function Together() {
  const { t } = useTranslation();
  const { engine } = usePlatform();
  const producerWords = useProducerWords();
  const infos = useStore(useShallow((state) => state.traces.map((one) => one.info)));
  const { openDialog, setOpenedApart } = useFrame.getState();
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [problem, setProblem] = useState('');
  const id = useId();
  const offered = infos.flatMap((info) =>
    info.source.kind === 'simulation' ? [] : [{ info, source: info.source }],
  );
  const toggle = (trace: string) => {
    const changed = new Set(left);
    if (!changed.delete(trace)) changed.add(trace);
    setLeft(changed);
    setProblem('');
  };
  const open = (event: FormEvent) => {
    event.preventDefault();
    const chosen = offered.filter(({ info }) => !left.has(info.trace));
    if (chosen.length < 2) {
      setProblem(t('together.tooFew'));
      return;
    }
    openDialog(null);
    setOpenedApart([]);
    const files = chosen.flatMap(({ info, source }) =>
      filesOf(source).map((file, at) => knownFile(file, info.parts[at]?.name ?? info.name)),
    );
    void openFile(engine, togetherAs(files));
  };
  return (
    <form className="together" onSubmit={open}>
      <p className="quiet">{t('together.lead')}</p>
      <fieldset>
        <legend className="unseen">{t('together.choose')}</legend>
        {offered.map(({ info }) => (
          <label key={info.trace} className="together-row">
            <input
              type="checkbox"
              checked={!left.has(info.trace)}
              onChange={() => toggle(info.trace)}
              aria-describedby={`${id}-problem`}
            />
            <b className="ellipsis">{info.name}</b>
            <span className="faint ellipsis">{producerWords(info.producer)}</span>
          </label>
        ))}
      </fieldset>
      <p id={`${id}-problem`} className="small go-to-problem" role="alert">
        {problem}
      </p>
      <div className="together-actions">
        <button type="submit" className="button primary">
          {t('together.open')}
        </button>
      </div>
    </form>
  );
}
