import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { LiveInfo, LiveNow } from '../../../app/contract/live.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { gpuName } from './gpu-name.ts';

/** What is announced may not change with every sample. */
const REST_MS = 10_000;

export interface LiveSentence {
  readonly shown: string;
  /** The same, a new one every ten seconds at most. */
  readonly announced: string;
}

/** The fullest GPU in one sentence, and how many are idle. */
export function useLiveSentence(info: LiveInfo | null, now: LiveNow | null): LiveSentence {
  const { t } = useTranslation();
  const format = useFormat();
  const newest = sentence();
  const [said, setSaid] = useState({ text: newest, time: 0 });
  useEffect(() => {
    setSaid((before) => {
      const time = performance.now();
      return before.time !== 0 && now !== null && time - before.time < REST_MS
        ? before
        : { text: newest, time: now === null ? 0 : time };
    });
  }, [newest, now]);
  return { shown: newest, announced: said.text };

  function sentence(): string {
    if (info === null) return t('live.looking');
    if (info.gpus.length === 0) return t('live.none.sentence', { count: info.lookedFor.length });
    if (now === null || now.gpus.length === 0) return t('live.waiting');
    const used = now.gpus.map((gpu) => gpu.values.used ?? -1);
    const fullest = used.indexOf(Math.max(...used));
    const { total } = now.gpus[fullest]?.values ?? { total: null };
    const idle = now.gpus.filter((gpu) => gpu.values.busy === 0).length;
    const bytes = used[fullest] ?? -1;
    if (bytes < 0) return t('live.nothingKnown');
    const words = { gpu: gpuName(info.gpus, fullest), used: format.bytes(bytes), count: idle };
    const all = total === null ? null : { ...words, total: format.bytes(total) };
    if (all === null) return t(idle === 0 ? 'live.sentenceOpenBusy' : 'live.sentenceOpen', words);
    return t(idle === 0 ? 'live.sentenceBusy' : 'live.sentence', all);
  }
}
