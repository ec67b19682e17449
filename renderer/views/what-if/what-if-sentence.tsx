import { useTranslation } from 'react-i18next';
import type { SimulatorInfo } from '../../../app/contract/simulation.ts';
import { type Answer, answerOf, ownAllocator } from '../../../app/domain/runs.ts';
import { Emphasis } from '../../charts/emphasis.tsx';
import { useFormat } from '../../i18n/use-format.ts';
import { useMomentName } from '../../i18n/use-words.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import { useRunWords } from './run-words.ts';
import type { Place } from './what-if-store.ts';

interface Props {
  readonly place: Place;
  readonly simulators: readonly SimulatorInfo[];
}

/** What would have helped, in one sentence. */
export function WhatIfSentence({ place, simulators }: Props) {
  const { t } = useTranslation();
  if (place.recording === null) {
    if (place.state === 'running') return <>{t('whatIf.running')}</>;
    return <>{t(place.state === 'stopped' ? 'whatIf.stopped' : 'whatIf.waiting')}</>;
  }
  return <AnswerWords place={place} simulators={simulators} recording={place.recording} />;
}

function AnswerWords({
  place,
  simulators,
  recording,
}: Props & { readonly recording: NonNullable<Place['recording']> }) {
  const text = useAnswerWords();
  const { info } = useActiveTrace();
  // As the user changes runs, they count as they stand, best first.
  const summaries = place.runs.flatMap((run) => (run.summary === null ? [] : [run.summary]));
  const ranked = [...summaries].sort(
    (one, other) =>
      Math.min(1, one.failureCount) - Math.min(1, other.failureCount) ||
      one.peakReserved - other.peakReserved,
  );
  const own = ownAllocator(ranked, info);
  return (
    <Emphasis
      text={text(
        answerOf(recording, ranked, simulators, own),
        own,
        recording.peakReserved,
        recording.requests,
      )}
    />
  );
}

/** The answer as a sentence, in whole clauses for each case. */
export function useAnswerWords() {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useRunWords();
  const { info } = useActiveTrace();
  const momentName = useMomentName(info);
  return (answer: Answer, own: string | null, recordedPeak: number, requests: number): string => {
    const peak = format.bytes(recordedPeak);
    const counted = format.count(requests);
    switch (answer.kind) {
      case 'survived': {
        const best = words.inSentence(answer.best, own);
        if (answer.room === null) {
          return t('whatIf.sentence.survivedUnlimited', {
            best,
            peak: format.bytes(answer.best.peakReserved),
          });
        }
        return t('whatIf.sentence.survived', {
          best,
          room: format.bytes(answer.room),
          count: answer.others,
        });
      }
      case 'none-survived':
      case 'none-fits':
        return t(answer.kind === 'none-fits' ? 'whatIf.sentence.noneFits' : 'whatIf.sentence.noneSurvived', {
          best: words.inSentence(answer.furthest, own),
          moment: answer.furthest.firstFailure === null ? '' : momentName(answer.furthest.firstFailure),
        });
      case 'less': {
        const best = words.inSentence(answer.best, own);
        const less = format.bytes(answer.less);
        if (answer.worst === null) return t('whatIf.sentence.less', { requests: counted, best, less });
        const worst = words.inSentence(answer.worst, own);
        const more = format.bytes(answer.more);
        return t('whatIf.sentence.lessAndMore', { requests: counted, best, less, worst, more });
      }
      case 'none-less': {
        const next = words.inSentence(answer.next, own);
        if (answer.more === 0) return t('whatIf.sentence.noneLessSame', { peak, next });
        return t('whatIf.sentence.noneLess', { peak, next, more: format.bytes(answer.more) });
      }
      case 'least':
        return t('whatIf.sentence.least', {
          blocks: peak,
          next: words.inSentence(answer.next, own),
          peak: format.bytes(answer.next.peakReserved),
        });
      case 'nothing':
        return t('whatIf.sentence.nothing');
    }
  };
}
