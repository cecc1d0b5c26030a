/** Owns making text fit for a terminal: nothing in it steers the terminal, and it takes no more columns than there are. Pure. */
import { stripVTControlCharacters } from 'node:util';
import truncatedWidth from 'fast-string-truncated-width';

/**
 * Returns a text on one line, without anything that a terminal would obey: escape sequences, control characters, and characters that
 * turn the direction, join emoji or choose their width, which terminals measure differently.
 */
export function toTerminalText(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\uFE00-\uFE0F]/gu, '')
    .trim();
}

/** Cuts a text to `columns` of a terminal, with an ellipsis; characters of East Asia and emoji take two. */
export function fitToColumns(text: string, columns: number): string {
  const limit = Math.max(1, columns);
  const { index, truncated } = truncatedWidth(text, { limit, ellipsis: '…', ellipsisWidth: 1 });
  return truncated ? `${text.slice(0, index)}…` : text;
}

/** How many columns a text takes. */
export function columnsOf(text: string): number {
  return truncatedWidth(text).width;
}
