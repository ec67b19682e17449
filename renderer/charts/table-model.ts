/** A table as data: what is shown, what it is sorted by and what is exported come from one description. */
export interface Column {
  /** Name in exports, e.g. "pooled_reserved_bytes". */
  readonly key: string;
  readonly label: string;
  /** What neighbouring columns share, e.g. the region. */
  readonly group: string;
  readonly width: number;
  readonly isText?: boolean;
  /** Addresses and code stand in the monospace face. */
  readonly isCode?: boolean;
  /** The exact value of a row, for sorting and exports; null is unknown or not applicable. */
  readonly value: (row: number) => number | string | null;
  readonly text: (row: number) => string;
  /** On hover: the exact value in words. */
  readonly title?: (row: number) => string;
}

export interface Sorting {
  readonly key: string;
  readonly isDescending: boolean;
}

/** The rows in order; equal ones keep theirs, unknown values come last. */
export function sortRows(count: number, column: Column | undefined, isDescending: boolean): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, row) => row);
  if (column === undefined) return order;
  const values = Array.from({ length: count }, (_, row) => column.value(row));
  const direction = isDescending ? -1 : 1;
  return order.sort(
    (one, other) => compare(values[one] ?? null, values[other] ?? null, direction) || one - other,
  );
}

function compare(one: number | string | null, other: number | string | null, direction: 1 | -1): number {
  if (one === other) return 0;
  if (one === null) return 1;
  if (other === null) return -1;
  return (one < other ? -1 : 1) * direction;
}

/** RFC 4180, exact values, in the order on screen. */
export function toCsv(columns: readonly Column[], order: Iterable<number>): string {
  const quote = (value: number | string | null) => {
    if (value === null) return '';
    const text = String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [columns.map((column) => quote(column.key)).join(',')];
  for (const row of order) lines.push(columns.map((column) => quote(column.value(row))).join(','));
  return `${lines.join('\r\n')}\r\n`;
}

/** For the clipboard, as spreadsheets take it: exact values between tabs. */
export function toTabs(columns: readonly Column[], order: Iterable<number>): string {
  const plain = (value: number | string | null) =>
    value === null ? '' : String(value).replace(/[\t\r\n]+/g, ' ');
  const lines = [columns.map((column) => column.key).join('\t')];
  for (const row of order) lines.push(columns.map((column) => plain(column.value(row))).join('\t'));
  return `${lines.join('\n')}\n`;
}

export function toJson(columns: readonly Column[], order: Iterable<number>): string {
  const rows = Array.from(order, (row) =>
    Object.fromEntries(columns.map((column) => [column.key, column.value(row)])),
  );
  return `${JSON.stringify(rows, null, 1)}\n`;
}

/** Hands a text over as a file. */
export function download(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
