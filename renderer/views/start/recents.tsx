import { useTranslation } from 'react-i18next';
import { Icon } from '../../design/icons.tsx';
import { usePlatform } from '../../engine/platform.ts';
import { useLocale } from '../../i18n/i18n.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useProducerWords } from '../../i18n/use-producer-words.ts';
import { knownFile, openFile } from '../../state/openings.ts';
import {
  clearRecents,
  type Finding,
  keyOf,
  type Recent,
  setMissing,
  useRecents,
} from '../../state/recents.ts';
import { useStore } from '../../state/store.ts';
import { Sparkline } from './sparkline.tsx';

/** What was open before; a row opens where it was left. */
export function Recents() {
  const { t } = useTranslation();
  const { recents, missing } = useRecents();
  if (recents.length === 0) return null;
  return (
    <section className="recents">
      <div className="section-head">
        <h2 id="recents">{t('start.recent')}</h2>
        <button type="button" className="button ghost" onClick={clearRecents}>
          {t('start.clear')}
        </button>
      </div>
      <ul aria-labelledby="recents">
        {recents.map((one) => (
          <RecentRow key={keyOf(one.source)} recent={one} isMissing={missing.has(keyOf(one.source))} />
        ))}
      </ul>
    </section>
  );
}

function RecentRow({ recent, isMissing }: { readonly recent: Recent; readonly isMissing: boolean }) {
  const { t } = useTranslation();
  const producerWords = useProducerWords();
  const format = useFormat();
  const platform = usePlatform();
  const opened = useOpenedAt(recent.openedAt);
  const open = async () => {
    const isOpen = useStore.getState().traces.find((one) => keyOf(one.info.source) === keyOf(recent.source));
    if (isOpen !== undefined) {
      useStore.getState().activate(isOpen.info.trace);
      return;
    }
    const file = knownFile(recent.source, recent.name);
    const result = await openFile(platform.engine, file, recent.place ?? {});
    if (result instanceof Error) setMissing(recent, true);
  };
  return (
    <li>
      <button type="button" className="recent" onClick={() => void open()}>
        <span className="recent-name">
          <b className="ellipsis">{recent.name}</b>
          <span className="faint ellipsis">
            {isMissing
              ? t('start.missing')
              : t('start.from', { producer: producerWords(recent.producer), opened })}
          </span>
        </span>
        <Sparkline recent={recent} />
        <span className="recent-peak">
          <span>{format.bytes(recent.peakReserved)}</span>
          <span className="faint">
            {recent.events > 0 || recent.isSampled
              ? t('start.peak')
              : recent.isOfActive
                ? t('start.active')
                : t('start.reserved')}
          </span>
        </span>
        <span className="recent-finding">
          <FindingPill finding={recent.finding} />
        </span>
        <span className="recent-events faint">
          {recent.isSampled
            ? t('start.readings')
            : recent.events === 0
              ? t('start.oneInstant')
              : t('counted.events', { count: recent.events })}
        </span>
      </button>
    </li>
  );
}

function FindingPill({ finding }: { readonly finding: Finding }) {
  const { t } = useTranslation();
  const format = useFormat();
  switch (finding.kind) {
    case 'failed':
      return (
        <span className="pill critical">
          <Icon name="failure" />
          {t('finding.failed', { count: finding.count })}
        </span>
      );
    case 'damaged':
      return (
        <span className="pill caution">
          <Icon name="caution" />
          {t('finding.damaged')}
        </span>
      );
    case 'fragmented':
      return (
        <span className="pill caution">
          <Icon name="caution" />
          {t('finding.fragmented', { share: format.percent(finding.share) })}
        </span>
      );
    case 'none':
      return <span className="faint">{t('finding.none')}</span>;
  }
}

/** "today 11:58", "yesterday 09:02", "27 November". */
function useOpenedAt(openedAt: number): string {
  const { t } = useTranslation();
  const locale = useLocale();
  const date = new Date(openedAt);
  const now = new Date();
  const time = new Intl.DateTimeFormat(locale, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(date);
  const dayOf = (one: Date) => new Date(one.getFullYear(), one.getMonth(), one.getDate()).getTime();
  const days = Math.round((dayOf(now) - dayOf(date)) / 86_400_000);
  if (days === 0) return t('start.today', { time });
  if (days === 1) return t('start.yesterday', { time });
  return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long' }).format(date);
}
