/** Text wrapping for a terminal. Pure. */
import { columnsOf, fitToColumns, toTerminalText } from 'truecast/internal/support/terminal-text';

/**
 * Wraps text between words into lines of at most `columns`. Longer words are cut. Control
 * characters are removed.
 */
export function wrapText(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of toTerminalText(text).split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (columnsOf(joined) <= columns) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    line = fitToColumns(word, columns);
  }
  return line === '' ? lines : [...lines, line];
}
