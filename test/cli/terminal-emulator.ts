/**
 * Minimal terminal emulator: returns the rows of the screen for some bytes. Throws on an unknown
 * sequence.
 */
import { columnsOf } from '../../packages/truecast/src/support/terminal-text.ts';

/** Returns the rows of a terminal of `columns`, without trailing spaces. */
export function screenAfter(bytes: string, columns: number): readonly string[] {
  const rows: string[][] = [[]];
  let at = 0;
  let row = 0;
  // eslint-disable-next-line no-control-regex -- a terminal's own grammar
  for (const [token] of bytes.matchAll(/\u001B\[[?\d;]*[A-Za-z]|[\s\S]/gu)) {
    if (token === '\r') at = 0;
    else if (token === '\n') row += 1;
    else if (token === '\u001B[K') rows[row] = cells(rows, row).slice(0, at);
    else if (token === '\u001B[J') {
      rows[row] = cells(rows, row).slice(0, at);
      rows.length = row + 1;
    } else if (/\d+A$/u.test(token)) row = Math.max(0, row - Number.parseInt(token.slice(2), 10));
    // eslint-disable-next-line no-control-regex -- a terminal's own grammar
    else if (/^\u001B\[(?:[\d;]*m|\?25[hl])$/u.test(token)) continue;
    else if (token.startsWith('\u001B')) throw new Error(`unknown sequence ${JSON.stringify(token)}`);
    else {
      const width = columnsOf(token);
      if (at + width > columns) {
        row += 1;
        at = 0;
      }
      const line = cells(rows, row);
      line[at] = token;
      if (width === 2) line[at + 1] = '';
      at += width;
    }
  }
  return Array.from(rows, (line) =>
    Array.from(line ?? [], (cell) => cell ?? ' ')
      .join('')
      .trimEnd(),
  );
}

function cells(rows: string[][], row: number): string[] {
  return (rows[row] ??= []);
}
