import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Difference } from '../../../app/domain/difference.ts';
import { DataTable } from '../../charts/data-table.tsx';
import { useFormat } from '../../i18n/use-format.ts';
import { useSiteName } from '../../i18n/use-words.ts';
import { differenceColumns } from './difference-columns.ts';

export interface DifferenceTableProps {
  readonly difference: Difference;
  readonly fileName: string;
}

/** Every call stack that changed, by growth; the frames of the selected one stand below. */
export function DifferenceTable({ difference, fileName }: DifferenceTableProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const siteName = useSiteName();
  const { sites } = difference;
  const [selected, setSelected] = useState<number | null>(null);
  const columns = useMemo(
    () =>
      differenceColumns(sites, format, {
        column: (name) => t(`difference.column.${name}`),
        change: (change) => t(`difference.change.${change}`),
        site: ({ site, kind }) => siteName(site, kind) || t('difference.noStack'),
      }),
    [sites, format, t, siteName],
  );
  const stack = selected === null ? [] : (sites[selected]?.stack ?? []);
  return (
    <>
      <div className="difference-table">
        <DataTable
          label={t('difference.table')}
          columns={columns}
          count={sites.length}
          fileName={fileName}
          selected={selected}
          onSelect={setSelected}
        />
      </div>
      <div className="difference-stack">
        {selected === null ? (
          <p className="caption">{t('difference.selectOne')}</p>
        ) : stack.length === 0 ? (
          <p className="caption">{t('difference.noStack')}</p>
        ) : (
          <ol className="mono small">
            {stack.map((line, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: frames may repeat and never move
              <li key={row}>{line}</li>
            ))}
          </ol>
        )}
      </div>
    </>
  );
}
