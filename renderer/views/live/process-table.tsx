import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { GpuNow } from '../../../app/contract/live.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { ProcessName } from './process-name.tsx';
import { type ProcessColumn, type ProcessOrder, processRows } from './process-rows.ts';
import { ProcessScroll } from './process-scroll.tsx';

const COLUMNS: readonly ProcessColumn[] = ['name', 'pid', 'bytes', 'busy'];

/** Who uses the GPU; sorted by any column, filtered by name or number. */
export function ProcessTable({ now, title }: { readonly now: GpuNow | undefined; readonly title: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [filter, setFilter] = useState('');
  const [order, setOrder] = useState<ProcessOrder>({ column: 'bytes', isDescending: true });
  const processes = now?.processes ?? null;
  const rows = processes === null ? [] : processRows(processes, filter, order);
  const sortBy = (column: ProcessColumn) =>
    setOrder((before) => ({
      column,
      isDescending: before.column === column ? !before.isDescending : column === 'bytes' || column === 'busy',
    }));
  return (
    <section aria-label={title}>
      <div className="process-heading">
        <h2>{title}</h2>
        {processes === null || processes.length === 0 ? null : (
          <span className="small quiet">
            {rows.length === processes.length
              ? format.count(rows.length)
              : t('live.processes.some', {
                  shown: format.count(rows.length),
                  all: format.count(processes.length),
                })}
          </span>
        )}
      </div>
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
          <ProcessScroll>
            <table className="table process-table" aria-label={title}>
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
                {rows.map((process) => (
                  <tr key={process.pid}>
                    <td>{process.name === '' ? t('live.unknown') : <ProcessName name={process.name} />}</td>
                    <td>{process.pid}</td>
                    <td>{process.bytes === null ? t('live.unknown') : format.bytes(process.bytes)}</td>
                    <td>{process.busy === null ? '' : `${format.count(process.busy)} %`}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </ProcessScroll>
          {rows.length > 0 ? null : (
            <p className="small quiet">
              {t(processes.length === 0 ? 'live.processes.none' : 'live.processes.noMatch')}
            </p>
          )}
          <p className="small quiet">{t('live.processes.note')}</p>
        </>
      )}
    </section>
  );
}
