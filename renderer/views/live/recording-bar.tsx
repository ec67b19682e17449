import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { EngineError } from '../../../app/contract/error.ts';
import type { LiveNow } from '../../../app/contract/live.ts';
import { useEngine } from '../../engine/engine.ts';
import { useErrorWords } from '../../i18n/use-error-words.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { asEngineError, knownFile, openFile } from '../../state/openings.ts';

interface RecordingBarProps {
  readonly now: LiveNow;
  onChange(): void;
  onMark(): void;
}

/** Where the strip of a trace lies: starts and ends a recording, and marks a moment. */
export function RecordingBar({ now, onChange, onMark }: RecordingBarProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const engine = useEngine();
  const { recording } = now;
  const isRecording = recording?.isActive === true;
  const words = useErrorWords();
  const [error, setError] = useState<EngineError | null>(null);
  const start = async () => {
    await engine.call('liveRecord', {});
    onChange();
  };
  const stop = async () => {
    const { path } = await engine.call('liveRecordStop', {});
    onChange();
    const name = path.split(/[/\\]/).at(-1) ?? path;
    await openFile(engine, knownFile({ kind: 'path', path }, name));
  };
  const press = () => {
    setError(null);
    (isRecording ? stop() : start()).catch((reason: unknown) => setError(asEngineError(reason)));
  };
  const refused = error === null ? null : words(error);
  return (
    <footer className="strip recording-bar">
      <button type="button" className="button primary" onClick={press}>
        {t(isRecording ? 'live.recording.stop' : 'live.recording.start')}
      </button>
      <span className="quiet" role="status">
        {recording === null || !isRecording
          ? t('live.recording.idle')
          : t('live.recording.so', {
              count: recording.samples,
              length: format.elapsed(recording.length),
              samples: format.count(recording.samples),
              size: format.bytes(recording.bytes),
            })}
      </span>
      {isRecording && recording.parts > 1 ? (
        <span className="quiet">
          {t('live.recording.kept', {
            count: recording.keptSamples,
            samples: format.count(recording.keptSamples),
            size: format.bytes(recording.keptBytes),
          })}
        </span>
      ) : null}
      {refused === null ? null : (
        <span className="recording-problem" role="alert">
          {refused.message} {refused.remedy}
        </span>
      )}
      {isRecording && recording.problem !== '' ? (
        <span className="recording-problem" role="alert">
          {t('live.recording.problem', {
            count: recording.lost,
            problem: recording.problem,
            lost: format.count(recording.lost),
          })}
        </span>
      ) : null}
      <span className="recording-space" />
      {isRecording ? <span className="quiet">{t('live.recording.becomes')}</span> : null}
      <button type="button" className="button" onClick={onMark}>
        {t('live.recording.mark')} <kbd className="key">M</kbd>
      </button>
    </footer>
  );
}
