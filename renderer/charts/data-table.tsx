import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { Icon } from '../design/icons.tsx';
import { type Column, download, type Sorting, sortRows, toCsv, toJson, toTabs } from './table-model.ts';
import { useWords } from './use-words.ts';

interface Props {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly count: number;
  /** Name of exported files, without their ending. */
  readonly fileName: string;
  /** A sentence about what a row is. */
  readonly note?: string;
  readonly selected: number | null;
  readonly onSelect: (row: number) => void;
  /** Told which rows are on screen, to fetch what is fetched row by row. */
  readonly onVisible?: (rows: readonly number[]) => void;
  /** Completes what is fetched row by row before an export. */
  readonly complete?: () => Promise<readonly Column[]>;
}

const ROW = 28;

/** A virtual table: complete, sortable by every column, exported as it stands. */
export function DataTable(props: Props) {
  const { label, columns, count, selected, onSelect, onVisible } = props;
  const words = useWords();
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const body = useRef<HTMLDivElement>(null);
  const order = useMemo(
    () =>
      sortRows(
        count,
        columns.find((column) => column.key === sorting?.key),
        sorting?.isDescending ?? false,
      ),
    [count, columns, sorting],
  );
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => body.current,
    estimateSize: () => ROW,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const at = selected === null ? -1 : order.indexOf(selected);
  useShown(virtual, at);
  const shown = items.map((item) => order[item.index] as number);
  const shownKey = shown.join(',');
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shownKey` stands for `shown`
  useEffect(() => onVisible?.(shown), [shownKey, onVisible]);
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 };
    const step = steps[event.key];
    const next = order[Math.min(count - 1, Math.max(0, at + (step ?? 0)))];
    if (step === undefined || next === undefined) return;
    event.preventDefault();
    onSelect(next);
  };
  const starts = useMemo(() => startsOf(columns), [columns]);
  const template = columns.map((column) => `minmax(${column.width}px, ${column.isText ? 2 : 1}fr)`).join(' ');
  const least = columns.reduce((sum, column) => sum + column.width, 0) + 40;
  return (
    <div className="data-table">
      <TableBar {...props} order={order} />
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: the rows scroll and are walked by keys */}
      {/* biome-ignore-start lint/a11y/noStaticElementInteractions: the rows scroll and are walked by keys */}
      <div ref={body} className="data-table-body" tabIndex={0} onKeyDown={onKeyDown}>
        {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: until here */}
        {/* biome-ignore-end lint/a11y/noStaticElementInteractions: until here */}
        <table aria-label={label} aria-rowcount={count + 1} style={{ minWidth: least }}>
          <thead>
            <Groups columns={columns} template={template} />
            <tr className="data-table-row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
              {columns.map((column) => (
                <HeadCell
                  key={column.key}
                  column={column}
                  isStart={starts.has(column.key)}
                  sorting={sorting}
                  onSort={setSorting}
                />
              ))}
            </tr>
          </thead>
          <tbody style={{ height: virtual.getTotalSize() }}>
            {items.map((item) => {
              const row = order[item.index] as number;
              return (
                <tr
                  key={item.key}
                  className="data-table-row data-table-line"
                  aria-rowindex={item.index + 2}
                  data-selected={row === selected || undefined}
                  style={{ gridTemplateColumns: template, transform: `translateY(${item.start}px)` }}
                  onClick={() => onSelect(row)}
                >
                  {columns.map((column) => (
                    <td
                      key={column.key}
                      className={column.isCode ? 'mono' : undefined}
                      data-text={column.isText || undefined}
                      data-start={starts.has(column.key) || undefined}
                      title={column.title?.(row)}
                    >
                      {column.text(row)}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p className="unseen" role="status">
        {words.t('table.rows', { count, rows: words.count(count) })}
      </p>
    </div>
  );
}

/** The first column of every group. */
function startsOf(columns: readonly Column[]): ReadonlySet<string> {
  const starts = columns.filter((column, at) => at > 0 && column.group !== columns[at - 1]?.group);
  return new Set(starts.map((column) => column.key));
}

/** Brings the selected row into view when it changes. */
function useShown(virtual: { scrollToIndex: (index: number) => void }, at: number): void {
  const scroll = useRef(virtual.scrollToIndex);
  scroll.current = virtual.scrollToIndex;
  useEffect(() => {
    if (at >= 0) scroll.current(at);
  }, [at]);
}

function Groups({ columns, template }: { columns: readonly Column[]; template: string }) {
  if (columns.every((column) => column.group === '')) return null;
  return (
    <tr className="data-table-groups" style={{ gridTemplateColumns: template }}>
      {columns.map((column, at) =>
        column.group !== '' && columns[at - 1]?.group !== column.group ? (
          <th
            scope="colgroup"
            key={column.key}
            style={{
              gridColumn: `${at + 1} / span ${columns.filter((one) => one.group === column.group).length}`,
            }}
          >
            {column.group}
          </th>
        ) : null,
      )}
    </tr>
  );
}

interface HeadProps {
  readonly column: Column;
  readonly isStart: boolean;
  readonly sorting: Sorting | null;
  readonly onSort: (sorting: Sorting | null) => void;
}

/** A press sorts: largest first for numbers, then the other way, then as recorded. */
function HeadCell({ column, isStart, sorting, onSort }: HeadProps) {
  const isSorted = sorting?.key === column.key;
  const startsDescending = column.isText !== true;
  const next = () => {
    if (!isSorted) return onSort({ key: column.key, isDescending: startsDescending });
    if (sorting.isDescending === startsDescending) {
      return onSort({ key: column.key, isDescending: !startsDescending });
    }
    onSort(null);
  };
  const state = !isSorted ? 'none' : sorting.isDescending ? 'descending' : 'ascending';
  return (
    <th
      scope="col"
      aria-sort={state}
      data-text={column.isText || undefined}
      data-start={isStart || undefined}
    >
      <button
        type="button"
        onClick={next}
        aria-label={column.group === '' ? undefined : `${column.group}: ${column.label}`}
      >
        {column.isText ? column.label : null}
        <span className="sort-mark" aria-hidden="true">
          {state === 'none' ? '' : state === 'descending' ? '↓' : '↑'}
        </span>
        {column.isText ? null : column.label}
      </button>
    </th>
  );
}

function TableBar({ columns, count, fileName, note, complete, order }: Props & { order: Uint32Array }) {
  const words = useWords();
  const [isBusy, setBusy] = useState(false);
  const [isCopied, setCopied] = useState(false);
  const save = async (kind: 'csv' | 'json' | 'copy') => {
    setBusy(true);
    const exported = (await complete?.()) ?? columns;
    setBusy(false);
    if (kind === 'copy') {
      await navigator.clipboard.writeText(toTabs(exported, order));
      setCopied(true);
    } else if (kind === 'csv') download(`${fileName}.csv`, 'text/csv', toCsv(exported, order));
    else download(`${fileName}.json`, 'application/json', toJson(exported, order));
  };
  return (
    <div className="data-table-bar">
      <p>
        {words.t('table.rows', { count, rows: words.count(count) })}
        {note === undefined ? '' : ` ${note}`}
      </p>
      <button
        type="button"
        className="button"
        disabled={isBusy}
        onClick={() => void save('copy')}
        onBlur={() => setCopied(false)}
      >
        <Icon name={isCopied ? 'good' : 'copy'} />
        {words.t(isCopied ? 'table.copied' : 'table.copy')}
      </button>
      <span className="unseen" role="status">
        {isCopied ? words.t('table.copied') : ''}
      </span>
      <button type="button" className="button" disabled={isBusy} onClick={() => void save('csv')}>
        <Icon name="open" />
        {words.t('table.csv')}
      </button>
      <button type="button" className="button" disabled={isBusy} onClick={() => void save('json')}>
        <Icon name="open" />
        {words.t('table.json')}
      </button>
    </div>
  );
}
