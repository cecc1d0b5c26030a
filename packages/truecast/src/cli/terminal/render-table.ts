/** Text tables for a terminal. Pure. */

/** Layout of a table. */
export interface TableLayout {
  /** Indexes of the right-aligned columns. */
  readonly rightAligned: readonly number[];
}

/**
 * Returns lines with columns as wide as their widest cell, separated by two spaces. Control
 * characters are removed.
 */
export function renderTable(rows: readonly (readonly string[])[], { rightAligned }: TableLayout): string {
  const clean = rows.map((row) => row.map((cell) => cell.replaceAll(/\p{Cc}/gu, ' ')));
  const widths = (clean[0] ?? []).map((_, column) =>
    Math.max(...clean.map((row) => row[column]?.length ?? 0)),
  );
  return clean
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return rightAligned.includes(column) ? cell.padStart(width) : cell.padEnd(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
