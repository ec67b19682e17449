/** A cell: text, aligned to the left, or to the right for numbers. */
export type Cell = string | { readonly right: string };

export const right = (text: string): Cell => ({ right: text });

const GAP = '   ';

/** Rows with their columns aligned; trailing spaces are left out. */
export function alignTable(rows: readonly (readonly Cell[])[], indent: string): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, textOf(cell).length);
    });
  }
  return rows.map((row) =>
    (indent + row.map((cell, column) => pad(cell, widths[column] ?? 0)).join(GAP)).trimEnd(),
  );
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.right;
}

function pad(cell: Cell, width: number): string {
  return typeof cell === 'string' ? cell.padEnd(width) : cell.right.padStart(width);
}
