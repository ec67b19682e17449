import { useTranslation } from 'react-i18next';
import { REGIONS, type RegionMoment, type RegionName } from '../../../app/contract/engine.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { isFragmented } from '../../state/findings.ts';
import { Card } from './card.tsx';
import { type OverviewData, useProof } from './use-overview.ts';

const COLUMNS = ['reserved', 'active', 'requested', 'free', 'largestFree'] as const;

/** The three regions at the peak, side by side. */
export function RegionsCard({ data }: { readonly data: OverviewData }) {
  const { t } = useTranslation();
  const { regions } = data.peak;
  return (
    <Card span={8} title={data.isInstant ? t('overview.regions.titleInstant') : t('overview.regions.title')}>
      <table className="table regions">
        <thead>
          <tr>
            <th scope="col">{t('overview.regions.region')}</th>
            {COLUMNS.map((column) => (
              <th scope="col" key={column}>
                {t(`overview.regions.${column}`)}
              </th>
            ))}
            <th scope="col">{t('quantity.fragmentation')}</th>
            <th scope="col">{t('overview.regions.segments')}</th>
          </tr>
        </thead>
        <tbody>
          {REGIONS.map((region) => (
            <RegionRow key={region} region={region} numbers={regions[region]} data={data} />
          ))}
        </tbody>
      </table>
    </Card>
  );
}

interface RegionRowProps {
  readonly region: RegionName;
  readonly numbers: RegionMoment;
  readonly data: OverviewData;
}

function RegionRow({ region, numbers, data }: RegionRowProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const proof = useProof();
  const wasUsed = data.device.regions[region].peak.reserved.bytes > 0;
  const name = (
    <span className="region-name">
      <i className={`swatch fill-${region}`} />
      {t(`region.${region}.name`)}
    </span>
  );
  if (!wasUsed) {
    return (
      <tr className="faint">
        <th scope="row">{name}</th>
        <td colSpan={COLUMNS.length + 2} className="region-unused">
          {t(`region.${region}.unused`)}
        </td>
      </tr>
    );
  }
  const isHigh =
    numbers.fragmentation !== null &&
    isFragmented(numbers.fragmentation, numbers.free, data.peak.total.reserved);
  const isMain = REGIONS.every((other) => data.peak.regions[other].reserved <= numbers.reserved);
  return (
    <tr>
      <th scope="row">
        <button
          type="button"
          className="moment"
          onClick={() => proof('map', { cursor: data.peak.event, mapRegion: region, selection: null })}
        >
          {name}
        </button>
      </th>
      {COLUMNS.map((column) => (
        <td key={column} title={format.exact(numbers[column])}>
          {column === 'reserved' && isMain ? (
            <b>{format.bytes(numbers[column])}</b>
          ) : (
            format.bytes(numbers[column])
          )}
        </td>
      ))}
      <td title={t('inspector.formula', { region: t(`region.${region}.inText`) })}>
        {numbers.fragmentation === null ? (
          <span title={t('inspector.nothingFree')} />
        ) : (
          <span className={isHigh ? 'caution-text' : undefined}>{format.percent(numbers.fragmentation)}</span>
        )}
      </td>
      <td>{format.count(numbers.segments)}</td>
    </tr>
  );
}
