import { useTranslation } from 'react-i18next';
import { usePlatform } from '../engine/platform.ts';
import { useErrorWords } from '../i18n/use-error-words.ts';
import { useActiveTrace } from '../state/active-trace.ts';
import { useFrame } from '../state/frame.ts';
import { openSeparately } from '../state/openings.ts';
import { closeTrace } from '../state/traces.ts';
import { Banner } from './banner.tsx';

/**
 * Of a set: which files are not in it, and, where nobody asked for one trace, how to have them separately. Of traces that
 * were opened at once, how to have them as one.
 */
export function SetBanner() {
  const { info } = useActiveTrace();
  const dismissed = useFrame((state) => state.toldSets);
  const isApart = useFrame((state) => state.openedApart.has(info.trace));
  if (isApart) return <Apart />;
  if (info.parts.length === 0 || dismissed.has(info.trace)) return null;
  return info.refused.length > 0 ? <Refused /> : <Joined />;
}

function Refused() {
  const { t } = useTranslation();
  const words = useErrorWords();
  const { parts, refused, trace } = useActiveTrace().info;
  const tellSet = useFrame((state) => state.tellSet);
  const [first] = refused;
  if (first === undefined) return null;
  return (
    <Banner
      tone="caution"
      actions={
        <>
          <SeparateButton />
          <button type="button" className="button" onClick={() => tellSet(trace)}>
            {t('action.dismiss')}
          </button>
        </>
      }
    >
      {t('set.refused', {
        count: refused.length,
        opened: parts.length,
        all: parts.length + refused.length,
        name: first.name,
        message: words(first.error).message,
      })}
    </Banner>
  );
}

function Joined() {
  const { t } = useTranslation();
  const { parts, trace } = useActiveTrace().info;
  const guessed = useFrame((state) => state.guessedSets);
  const tellSet = useFrame((state) => state.tellSet);
  if (!guessed.has(trace)) return null;
  return (
    <Banner
      tone="note"
      actions={
        <>
          <SeparateButton />
          <button type="button" className="button" onClick={() => tellSet(trace)}>
            {t('action.dismiss')}
          </button>
        </>
      }
    >
      {t('set.joined', { count: parts.length })}
    </Banner>
  );
}

function Apart() {
  const { t } = useTranslation();
  const { openedApart, setOpenedApart, openDialog } = useFrame();
  return (
    <Banner
      tone="note"
      actions={
        <>
          <button type="button" className="button" onClick={() => openDialog('together')}>
            {t('commands.together')}
          </button>
          <button type="button" className="button" onClick={() => setOpenedApart([])}>
            {t('action.dismiss')}
          </button>
        </>
      }
    >
      {t('set.apart', { count: openedApart.size })}
    </Banner>
  );
}

/** Each file as a trace of its own, and then this one away: files that were handed over stay while it is open. */
function SeparateButton() {
  const { t } = useTranslation();
  const { engine } = usePlatform();
  const { info } = useActiveTrace();
  const separate = async () => {
    await openSeparately(engine, info);
    closeTrace(engine, info.trace);
  };
  return (
    <button type="button" className="button" onClick={() => void separate()}>
      {t('set.separately')}
    </button>
  );
}
