import { useTranslation } from 'react-i18next';
import { REGIONS, type RegionMoment, type RegionName } from '../../../app/contract/engine.ts';
import type { ReportDevice } from '../../../app/contract/report.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useActiveDevice } from '../../state/active-trace.ts';
import { isFragmented } from '../../state/findings.ts';
import { Card } from './card.tsx';
import { type OverviewData, useProof } from './use-overview.ts';

const COLUMNS = ['reserved', 'active', 'requested', 'free', 'largestFree'] as const;

/** The three regions at the peak, side by side. */
export function RegionsCard({ data }: { readonly data: OverviewData }) {
  const { t } = useTranslation();
  const { regionsBy } = useActiveDevice();
  const { regions } = data.peak;
  const columns = columnsOf(data);
  return (
    <Card span={12} title={data.isInstant ? t('overview.regions.titleInstant') : t('overview.regions.title')}>
      <table className="table regions">
        <thead>
          <tr>
            <th scope="col">{t('overview.regions.region')}</th>
            {columns.map((column) => (
              <th scope="col" key={column}>
                {t(`overview.regions.${column}`)}
              </th>
            ))}
            {isBySize(data) ? (
              <th scope="col">{t('overview.regions.blocks')}</th>
            ) : (
              <>
                <th scope="col">{t('quantity.fragmentation')}</th>
                <th scope="col">{t('overview.regions.segments')}</th>
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {REGIONS.map((region) => (
            <RegionRow key={region} region={region} numbers={regions[region]} data={data} />
          ))}
        </tbody>
      </table>
      {regionsBy !== 'segments' && isBySize(data) ? (
        <p className="caption">{t(`overview.regions.by.${regionsBy}`)}</p>
      ) : null}
    </Card>
  );
}

const UNUSED_BY = { capture: 'charts.unused.asCaptured', nothing: 'charts.unused.notTold' } as const;

/** No segments are known: requests are told apart by size, and of free memory nothing can be said. */
function isBySize(data: OverviewData): boolean {
  return data.device.layout !== 'segments';
}

function columnsOf(data: OverviewData): readonly (typeof COLUMNS)[number][] {
  return isBySize(data) ? ['active', 'requested'] : COLUMNS;
}

/** Why a region holds nothing; only the recorded setting can say that expandable segments were off. */
function unusedReason(
  region: RegionName,
  regions: ReportDevice['regions'],
  settings: Readonly<Record<string, string>>,
) {
  if (region !== 'virtual') {
    const isVirtualUsed = regions.virtual.peak.reserved.bytes > 0;
    return isVirtualUsed ? (`region.${region}.inVirtual` as const) : (`region.${region}.unused` as const);
  }
  const isOff = settings['expandable_segments']?.toLowerCase() === 'false';
  return isOff ? 'region.virtual.off' : 'region.virtual.unused';
}

/** Of a capture that is cut off only what is live for sure is known, and of holes nothing. */
const KNOWN_AT_LEAST: readonly string[] = ['reserved', 'active', 'requested'];

interface RegionRowProps {
  readonly region: RegionName;
  readonly numbers: RegionMoment;
  readonly data: OverviewData;
}

function RegionRow({ region, numbers, data }: RegionRowProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const proof = useProof();
  const { isRegionBySize, regionsBy, areRequestsKnown } = useActiveDevice();
  const mapRegion = isRegionBySize && region === 'immediate' ? 'pooled' : region;
  const wasUsed = data.device.regions[region].peak.reserved.bytes > 0;
  const name = (
    <span className="region-name">
      <i className={`swatch fill-${region}`} />
      {t(`region.${region}.name`)}
      {isRegionBySize && region === 'immediate' ? (
        <span className="caption">{t('region.immediate.inPooled')}</span>
      ) : null}
    </span>
  );
  if (!wasUsed) {
    return (
      <tr className="faint">
        <th scope="row">{name}</th>
        <td colSpan={columnsOf(data).length + 2} className="region-unused">
          {isBySize(data) || isRegionBySize
            ? t(
                regionsBy === 'capture' || regionsBy === 'nothing'
                  ? UNUSED_BY[regionsBy]
                  : `region.${region}.bySize`,
              )
            : t(unusedReason(region, data.device.regions, data.report.settings))}
        </td>
      </tr>
    );
  }
  const isHigh =
    numbers.fragmentation !== null &&
    isFragmented(numbers.fragmentation, numbers.free, data.peak.total.reserved);
  const isBounded = data.device.possible_extra !== null;
  const isMain = REGIONS.every((other) => data.peak.regions[other].reserved <= numbers.reserved);
  return (
    <tr>
      <th scope="row">
        <button
          type="button"
          className="moment"
          onClick={() => proof('map', { cursor: data.peak.event, mapRegion, selection: null })}
        >
          {name}
        </button>
      </th>
      {columnsOf(data).map((column) => (
        <td key={column} title={isBounded ? undefined : format.exact(numbers[column])}>
          <Value isAnswer={column === columnsOf(data)[0] && isMain}>
            {column === 'requested' && !areRequestsKnown
              ? t('unknown')
              : !isBounded
                ? format.bytes(numbers[column])
                : KNOWN_AT_LEAST.includes(column)
                  ? `≥ ${format.bytes(numbers[column])}`
                  : t('unknown')}
          </Value>
        </td>
      ))}
      {isBySize(data) ? (
        <td>{format.count(numbers.blocks)}</td>
      ) : (
        <>
          <td title={t('inspector.formula', { region: t(`region.${region}.inText`) })}>
            {isBounded ? (
              t('unknown')
            ) : numbers.fragmentation === null ? (
              <span title={t('inspector.nothingFree')} />
            ) : (
              <span className={isHigh ? 'caution-text' : undefined}>
                {format.percent(numbers.fragmentation)}
              </span>
            )}
          </td>
          <td>{isBounded ? `≥ ${format.count(numbers.segments)}` : format.count(numbers.segments)}</td>
        </>
      )}
    </tr>
  );
}

function Value({ isAnswer, children }: { readonly isAnswer: boolean; readonly children: string }) {
  return isAnswer ? <b>{children}</b> : children;
}
