import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { GpuNow } from '../../../app/contract/live.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { type ProcessColumn, type ProcessOrder, processRows } from './process-rows.ts';

const COLUMNS: readonly ProcessColumn[] = ['name', 'pid', 'bytes', 'busy'];

/** Who uses the GPU; sorted by any column, filtered by name or number. */
export function ProcessTable({ now, title }: { readonly now: GpuNow | undefined; readonly title: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [filter, setFilter] = useState('');
  const [order, setOrder] = useState<ProcessOrder>({ column: 'bytes', isDescending: true });
  const processes = now?.processes ?? null;
  const sortBy = (column: ProcessColumn) =>
    setOrder((before) => ({
      column,
      isDescending: before.column === column ? !before.isDescending : column === 'bytes' || column === 'busy',
    }));
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {processes === null ? (
        <p className="small quiet">{t('live.processes.unknown')}</p>
      ) : (
        <>
          <input
            className="field process-filter"
            type="search"
            aria-label={t('live.processes.filter')}
            placeholder={t('live.processes.filter')}
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
          <table className="table process-table with-pids">
            <thead>
              <tr>
                {COLUMNS.map((column) => (
                  <th
                    key={column}
                    aria-sort={
                      order.column !== column ? 'none' : order.isDescending ? 'descending' : 'ascending'
                    }
                  >
                    <button type="button" onClick={() => sortBy(column)}>
                      {t(`live.processes.${column}`)}
                    </button>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {processRows(processes, filter, order).map((process) => (
                <tr key={process.pid}>
                  <td className="ellipsis" title={process.name}>
                    {process.name === '' ? t('live.unknown') : process.name}
                  </td>
                  <td>{process.pid}</td>
                  <td>{process.bytes === null ? t('live.unknown') : format.bytes(process.bytes)}</td>
                  <td>{process.busy === null ? '' : `${format.count(process.busy)} %`}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {processes.length === 0 ? <p className="small quiet">{t('live.processes.none')}</p> : null}
          <p className="small quiet">{t('live.processes.note')}</p>
        </>
      )}
    </section>
  );
}
