/** CSV of RFC 4180: lines of cells, quoted where needed. Pure. */

/** A value of one column. Undefined leaves it empty. */
export type CsvCell = string | number | undefined;

/** Returns the lines, each with its line end. */
export function csvText(lines: readonly (readonly CsvCell[])[]): string {
  return lines.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
}

/** A spreadsheet runs a text that begins with one of these characters. */
const FORMULA = /^[=+\-@\t\r]/u;

function quoted(cell: CsvCell): string {
  if (typeof cell === 'number') return String(cell);
  const text = cell === undefined ? '' : FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
