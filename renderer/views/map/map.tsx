import { REGIONS } from '../../../app/contract/engine.ts';
import { howToRecord } from '../../../app/domain/how-to-record.ts';
import { EmptyView } from '../../charts/empty-view.tsx';
import { atWords } from '../../charts/moment-words.ts';
import { TableButton } from '../../charts/table-button.tsx';
import { axisUnit, wantedTicks } from '../../charts/time-axis.ts';
import { useCursor } from '../../charts/use-cursor.ts';
import { useWords } from '../../charts/use-words.ts';
import { Segmented } from '../../design/segmented.tsx';
import { ViewHeader } from '../../frame/view-header.tsx';
import { isInstant, useActiveDevice, useActiveTrace, useUpdateTrace } from '../../state/active-trace.ts';
import { MapInstant } from './map-instant.tsx';
import { useMapOptions } from './map-options.ts';
import { MapPlot } from './map-plot.tsx';
import { mapSentence } from './map-sentence.ts';
import { SegmentsTable } from './segments-table.tsx';
import '../../charts/charts.css';
import './map.css';
import { guideOfFormat } from '../../../app/help/record.ts';
import { RecordLink } from '../record/record-link.tsx';

/** Wide enough for the unit of the sentence. */
const USUAL_WIDTH = 900;

/** Where are the holes, and who makes them? */
export function MapView() {
  const { info, device, mapRegion, axis, range, isTableOpen } = useActiveTrace();
  const active = useActiveDevice();
  const { regions, layout } = active;
  const { moment } = useCursor();
  const words = useWords();
  const hasTime = !isInstant(active);
  const place = { axis, unit: axisUnit(axis, range, wantedTicks(USUAL_WIDTH)) };
  const where = moment === null || !hasTime ? null : atWords(words, place, moment.event, moment.time);
  const key = `${info.trace} ${device} ${mapRegion}`;
  return (
    <>
      <ViewHeader
        title={words.t('map.title')}
        sentence={mapSentence(words, layout, mapRegion, moment?.regions[mapRegion], where)}
        controls={layout === 'totals' ? null : <MapControls />}
      />
      {layout === 'totals' ? (
        <EmptyView title={words.t('map.noAddressesTitle')}>
          <p>{words.t('map.noAddressesWhy')}</p>
          <p>{words.t('map.noAddressesHow')}</p>
          <pre className="mono">{howToRecord(info.format)}</pre>
          <RecordLink guide={guideOfFormat(info.format)} />
        </EmptyView>
      ) : regions.length === 0 ? (
        <EmptyView title={words.t('map.emptyTitle')}>
          <p>{words.t('map.emptyWhy')}</p>
          <RecordLink guide={guideOfFormat(info.format)} />
        </EmptyView>
      ) : isTableOpen ? (
        <SegmentsTable key={key} />
      ) : hasTime ? (
        <MapPlot key={key} />
      ) : (
        <MapInstant key={key} />
      )}
    </>
  );
}

function MapControls() {
  const { mapRegion } = useActiveTrace();
  const { regions: used, isRegionBySize } = useActiveDevice();
  // small blocks lie in the segments of large ones, so the pooled map shows them
  const regions = used.filter((region) => !(isRegionBySize && region === 'immediate'));
  const update = useUpdateTrace();
  const words = useWords();
  const { mode, setMode } = useMapOptions();
  return (
    <>
      <Segmented
        label={words.t('map.region')}
        value={mapRegion}
        options={REGIONS.map((region) => ({
          value: region,
          label: words.t(`region.${region}`),
          isDisabled: !regions.includes(region),
          ...(regions.includes(region) ? {} : { reason: words.t('map.unusedRegion') }),
        }))}
        onChange={(region) => update({ mapRegion: region })}
      />
      <Segmented
        label={words.t('map.mode')}
        value={mode}
        options={[
          { value: 'occupancy', label: words.t('map.occupancy') },
          { value: 'owner', label: words.t('map.owner') },
        ]}
        onChange={setMode}
      />
      <TableButton />
    </>
  );
}
