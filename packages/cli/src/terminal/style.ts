/**
 * Colors and signs of a command's lines, by meaning. Plain without a terminal, with NO_COLOR, and
 * with TERM=dumb.
 */
import { styleText } from 'node:util';

/** The meaning of a text: a success, a failure, a warning, a side note, or a heading. */
export type Meaning = 'good' | 'bad' | 'warning' | 'aside' | 'heading';

const STYLES = {
  good: 'green',
  bad: 'red',
  warning: 'yellow',
  aside: 'dim',
  heading: 'bold',
} as const satisfies Readonly<Record<Meaning, Parameters<typeof styleText>[0]>>;

/** Colors a text that is already safe for a terminal. */
export function colored(text: string, meaning: Meaning, stream: NodeJS.WritableStream): string {
  return text === '' ? text : styleText(STYLES[meaning], text, { stream, validateStream: true });
}

const FALLBACK_COLUMNS = 80;
const MAX_COLUMNS = 100;
const MIN_COLUMNS = 20;

/** Returns the columns for text on a stream. A file or a pipe has no limit. */
export function columnsFor(stream: { readonly isTTY?: boolean; readonly columns?: number }): number {
  if (stream.isTTY !== true) return Infinity;
  // Some pseudo-terminals report 0.
  const columns = stream.columns === undefined || stream.columns === 0 ? FALLBACK_COLUMNS : stream.columns;
  return Math.max(MIN_COLUMNS, Math.min(MAX_COLUMNS, columns));
}
