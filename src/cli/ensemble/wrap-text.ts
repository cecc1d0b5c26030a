/** Owns breaking a text into lines of a terminal. Pure. */
import { columnsOf, fitToColumns, toTerminalText } from '../../run/logging/terminal-text.ts';

/** Breaks a text between words into lines of at most `columns`; a word that is longer is cut. Nothing in it steers the terminal. */
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
