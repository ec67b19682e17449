import { useTranslation } from 'react-i18next';
import { QueryError } from '../../frame/query-error.tsx';
import { ViewHeader } from '../../frame/view-header.tsx';
import { useFormat } from '../../i18n/use-format.ts';
import { useProducerWords } from '../../i18n/use-producer-words.ts';
import { useActiveDevice, useActiveTrace } from '../../state/active-trace.ts';
import { DifferenceButton } from '../difference/difference-button.tsx';
import { ConsumersCard } from './consumers-card.tsx';
import { ExactCard } from './exact-card.tsx';
import { FailureHero } from './failure-hero.tsx';
import { FailuresCard } from './failures-card.tsx';
import { FilesCard } from './files-card.tsx';
import { FragmentationCard } from './fragmentation-card.tsx';
import { Hero } from './hero.tsx';
import { HintsCard } from './hints-card.tsx';
import { RegionsCard } from './regions-card.tsx';
import { SettingsCard } from './settings-card.tsx';
import { type OverviewData, useOverview } from './use-overview.ts';

/** How much, why, and what now. */
export function Overview() {
  const { info } = useActiveTrace();
  const { data, error } = useOverview();
  return (
    <>
      <ViewHeader
        title={info.name}
        sentence={data === null ? ' ' : <Sentence data={data} />}
        isBusy={data === null && error === null}
        controls={<DifferenceButton />}
      />
      <div className="page">
        {error === null ? null : (
          <div className="overview-error">
            <QueryError error={error} />
          </div>
        )}
        {data === null ? null : <Facts data={data} />}
      </div>
    </>
  );
}

function Facts({ data }: { readonly data: OverviewData }) {
  const { t } = useTranslation();
  const { layout, regions } = useActiveDevice();
  const isNothingRead = data.device.peak.reserved.bytes === 0;
  const isUntold = isNothingRead && data.device.possible_extra !== null && data.isInstant;
  if (isUntold || (isNothingRead && data.device.events === 0)) {
    return (
      <div className="overview">
        {isUntold && data.device.failures.length > 0 ? <FailureHero data={data} /> : null}
        <p className="overview-empty">{t(isUntold ? 'overview.untold' : 'overview.empty')}</p>
        <FilesCard />
        <HintsCard data={data} />
        <SettingsCard data={data} />
      </div>
    );
  }
  // Regions tell requests apart by size, which sums of a call site or of a moment do not say.
  const isOfSums = layout === 'totals' && regions.every((region) => region === 'pooled');
  const hasFailed = data.device.failures.length > 0;
  return (
    <div className="overview">
      {hasFailed ? <FailureHero data={data} /> : null}
      <Hero data={data} />
      <FilesCard />
      <FragmentationCard data={data} />
      <ConsumersCard data={data} />
      <div className="fact-4 fact-stack">
        <FailuresCard data={data} />
        <ExactCard data={data} />
      </div>
      {isOfSums ? null : <RegionsCard data={data} />}
      <HintsCard data={data} />
      <SettingsCard data={data} />
    </div>
  );
}

/** What the capture is, in one sentence. */
function Sentence({ data }: { readonly data: OverviewData }) {
  const { t } = useTranslation();
  const format = useFormat();
  const producerWords = useProducerWords();
  const { info } = useActiveTrace();
  const { device, peak } = data;
  const values = {
    producer: producerWords(info.producer),
    count: info.devices.length,
    duration: format.duration(info.durationNs),
    events: t('counted.events', { count: device.events }),
    instants: format.count(device.events),
    segments: t('counted.segments', { count: peak.total.segments }),
    blocks: format.count(peak.total.blocks),
  };
  const isBounded = data.device.possible_extra !== null;
  if (device.layout !== 'segments') {
    const known = device.layout === 'blocks' ? 'blocks' : data.isInstant ? 'sums' : 'totals';
    if (known === 'sums') return <>{t('overview.sentence.sums', values)}</>;
    return <>{t(`overview.sentence.${known}${info.hasClock ? '' : 'Untimed'}`, values)}</>;
  }
  if (info.format === 'tensorflow-log') {
    const kept = device.allocations > 0 ? 'logEvents' : data.isInstant ? 'logInstant' : 'logInstants';
    return <>{t(`overview.sentence.${kept}`, values)}</>;
  }
  const what = data.isInstant ? 'instant' : isBounded ? 'damaged' : info.hasClock ? 'timed' : 'untimed';
  const kind = info.format === 'generic-events' ? 'recording' : 'snapshot';
  return <>{t(`overview.sentence.${kind}.${what}`, values)}</>;
}
