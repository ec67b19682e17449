import { useState } from 'react';
import { howToRecord } from '../../../app/domain/how-to-record.ts';
import { guideOfFormat } from '../../../app/help/record.ts';
import { usePixelRatio, useSize } from '../../charts/canvas.tsx';
import { EmptyView } from '../../charts/empty-view.tsx';
import { useLive } from '../../charts/live.ts';
import { TableButton } from '../../charts/table-button.tsx';
import { useWords } from '../../charts/use-words.ts';
import { GUTTER, RIGHT_MARGIN } from '../../charts/viewport.ts';
import { Segmented } from '../../design/segmented.tsx';
import { QueryError } from '../../frame/query-error.tsx';
import { ViewHeader, type ViewHeaderProps } from '../../frame/view-header.tsx';
import { isInstant, useActiveDevice, useActiveTrace } from '../../state/active-trace.ts';
import { fullRange } from '../../state/store.ts';
import { RecordLink } from '../record/record-link.tsx';
import { DriverTable } from './driver-table.tsx';
import { FigureChoice } from './figure-choice.tsx';
import { END_WIDTH, UNREAD_WIDTH } from './lane-layout.ts';
import { SamplesTable } from './samples-table.tsx';
import { useTimelineOptions } from './timeline-options.ts';
import { TimelinePlot } from './timeline-plot.tsx';
import { useTimelineSentence } from './use-sentence.ts';
import { busiestRegion, useDamage, useTimelineData } from './use-timeline.ts';
import '../../charts/charts.css';
import './timeline.css';

/** When does memory grow, and how much of it is usable? */
export function Timeline() {
  const { info, device } = useActiveTrace();
  const words = useWords();
  const active = useActiveDevice();
  if (!isInstant(active)) return <TimelineOfEvents key={`${info.trace} ${device}`} />;
  return (
    <>
      <ViewHeader title={words.t('timeline.title')} sentence={words.t('instant.noAxis')} />
      <EmptyView title={words.t('instant.title')}>
        <p>{words.t(active.layout === 'totals' ? 'instant.timelineWhyTotals' : 'instant.timelineWhy')}</p>
        <p>{words.t('instant.how')}</p>
        <pre className="mono">{howToRecord(info.format)}</pre>
        <RecordLink guide={guideOfFormat(info.format)} />
      </EmptyView>
    </>
  );
}

function TimelineOfEvents() {
  const { info, device, axis, range, isTableOpen } = useActiveTrace();
  const { regions: used } = useActiveDevice();
  const words = useWords();
  const options = useTimelineOptions();
  const ratio = usePixelRatio();
  const [place, size] = useSize<HTMLDivElement>();
  const [liveHeight, setLiveHeight] = useState(200);
  const [chosenRows, setRows] = useState<TableRows>('events');
  const isEndVisible = !info.isComplete && range.to >= fullRange(info, device, axis).to;
  const width = Math.max(
    0,
    size.width - GUTTER - RIGHT_MARGIN - (isEndVisible ? UNREAD_WIDTH + END_WIDTH : 0),
  );
  const data = useTimelineData(width, liveHeight, ratio);
  const damage = useDamage(data.report);
  const { figure } = data.driver;
  const rows = figure === null ? 'events' : chosenRows;
  const busiest = busiestRegion(data.report, used);
  const mode = options.mode ?? (damage?.extra ? 'total' : 'region');
  const sentence = useTimelineSentence(words, data, busiest, damage, width);
  return (
    <>
      <Header
        title={words.t('timeline.title')}
        sentence={sentence}
        isComplete={data.isComplete}
        controls={
          <>
            <FigureChoice driver={data.driver} words={words} />
            {isTableOpen && figure !== null ? (
              <Segmented<TableRows>
                label={words.t('driver.rows')}
                value={rows}
                options={[
                  { value: 'events', label: words.t('driver.events') },
                  { value: 'driver', label: words.t('driver.samples') },
                ]}
                onChange={setRows}
              />
            ) : null}
            <Segmented
              label={words.t('timeline.mode')}
              value={mode}
              options={[
                { value: 'region', label: words.t('timeline.byRegion') },
                { value: 'total', label: words.t('timeline.total') },
              ]}
              onChange={options.setMode}
            />
            <TableButton />
          </>
        }
      />
      {data.error !== null ? (
        <div className="empty-view">
          <QueryError error={data.error} />
        </div>
      ) : isTableOpen ? (
        <Table rows={rows} />
      ) : (
        <TimelinePlot
          place={place}
          size={size}
          width={width}
          data={data}
          mode={mode}
          busiest={busiest}
          damage={damage}
          isEndVisible={isEndVisible}
          onLiveHeight={setLiveHeight}
        />
      )}
    </>
  );
}

/** What a row of the table is: an event, or a stretch of the driver's samples. */
type TableRows = 'events' | 'driver';

function Table({ rows }: { readonly rows: TableRows }) {
  return rows === 'driver' ? <DriverTable /> : <SamplesTable />;
}

type HeaderProps = ViewHeaderProps & { readonly isComplete: () => boolean };

function Header({ isComplete, ...props }: HeaderProps) {
  return <ViewHeader {...props} isBusy={!useLive(isComplete)} />;
}
