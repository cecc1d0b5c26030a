/**
 * Terminal text: removes or escapes control characters, and fits lines to the terminal's width.
 * Pure.
 */
import { stripVTControlCharacters } from 'node:util';
import truncatedWidth from 'fast-string-truncated-width';

/**
 * Returns a text as one line, without characters that a terminal interprets: escape sequences,
 * control characters, and bidirectional controls. Characters that join emoji or select their width
 * are removed too, because terminals measure them differently.
 */
export function toTerminalText(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/[\uFE00-\uFE0F\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2065]/gu, '')
    .trim();
}

/**
 * Returns a text of several lines without characters that a terminal interprets. Newlines, tabs and
 * spaces are kept.
 *
 * Every line that a command writes for people passes through this function or through
 * `toTerminalText`.
 */
export function toTerminalLines(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll('\r\n', '\n')
    .replaceAll(/[^\P{Cc}\n\t]|[\uFE00-\uFE0F\p{Cf}\p{Cs}\p{Co}\u2065]/gu, '');
}

/**
 * Returns a text with escaped control characters and bidirectional controls (`\x1b`), so that a
 * terminal interprets none of them.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 256
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/**
 * Cuts a text to `columns` of a terminal, with an ellipsis. East Asian characters and emoji take
 * two columns.
 */
export function fitToColumns(text: string, columns: number): string {
  const limit = Math.max(1, columns);
  const { index, truncated } = truncatedWidth(text, { limit, ellipsis: '…', ellipsisWidth: 1 });
  return truncated ? `${text.slice(0, index)}…` : text;
}

/** Leading spaces and a sign. The text of a line begins after them. */
const START = /^ *(?:[^\p{L}\p{N}\s`] +)?/u;

/**
 * Wraps a line between words into lines of at most `columns`, which are as far in as its text. A longer
 * word, and code in backticks, have their own line and are never cut: people copy them.
 */
export function wrapWords(line: string, columns: number): readonly string[] {
  if (columnsOf(line) <= columns) return [line];
  const [start = ''] = START.exec(line) ?? [];
  const indent = ' '.repeat(columnsOf(start));
  const lines: string[] = [];
  let current = start;
  for (const [spaces = '', word = ''] of line.slice(start.length).matchAll(/ *((?:`[^`]*`|[^ `]|`)+)/gu)) {
    const joined = current + spaces;
    if (columnsOf(joined) <= columns || current.trim() === start.trim()) {
      current = joined;
      continue;
    }
    lines.push(current);
    current = indent + word;
  }
  return [...lines, current];
}

export function columnsOf(text: string): number {
  return truncatedWidth(text).width;
}

export type SignName = 'done' | 'failed' | 'warning' | 'note' | 'said';

const UTF8 = { done: '✓', failed: '×', warning: '▲', note: '·', said: '●' } as const;
const ASCII = { done: '+', failed: 'x', warning: '!', note: '-', said: '*' } as const;

/** Returns the signs for a locale. An unset locale counts as UTF-8, as in most containers. */
export function terminalSigns(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Readonly<Record<SignName, string>> {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(
    (name) => name !== undefined && name !== '',
  );
  return locale === undefined || /utf-?8/iu.test(locale) ? UTF8 : ASCII;
}
